// The Kubernetes API server with its etcd in one program, for applying manifests to; no nodes, nothing runs.
//
// ETCD_DATA is the folder of etcd, ETCD_CLIENT and ETCD_PEER are its addresses; arguments are kube-apiserver's.
package main

import (
	"fmt"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func address(variable string) ([]url.URL, error) {
	parsed, err := url.Parse(os.Getenv(variable))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	return []url.URL{*parsed}, nil
}

func startEtcd() error {
	config := embed.NewConfig()
	config.Dir = os.Getenv("ETCD_DATA")
	config.LogLevel = "error"
	clients, err := address("ETCD_CLIENT")
	if err != nil {
		return err
	}
	peers, err := address("ETCD_PEER")
	if err != nil {
		return err
	}
	config.ListenClientUrls, config.AdvertiseClientUrls = clients, clients
	config.ListenPeerUrls, config.AdvertisePeerUrls = peers, peers
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("etcd is not ready after a minute")
	}
}

func main() {
	if err := startEtcd(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
