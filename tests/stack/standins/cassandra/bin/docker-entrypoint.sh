#!/bin/bash
# Fills in the addresses, gives up root, starts what is asked for.
set -euo pipefail
settings=/etc/cassandra/cassandra.yaml
if [ "$(id -u)" = 0 ]; then
    chown -R cassandra /var/lib/cassandra /etc/cassandra
    exec setpriv --reuid cassandra --regid cassandra --clear-groups "$0" "$@"
fi
address=$(hostname -i | cut -d' ' -f1)
copy=$(sed -E \
    -e "s/^listen_address:.*/listen_address: $address/" \
    -e "s/^rpc_address:.*/rpc_address: 0.0.0.0/" \
    -e "s/^# broadcast_rpc_address:.*/broadcast_rpc_address: $address/" \
    -e "s/seeds:.*/seeds: \"$address\"/" \
    -e "s/^cluster_name:.*/cluster_name: ${CASSANDRA_CLUSTER_NAME:-Test Cluster}/" "$settings")
echo "$copy" >"$settings"
exec "$@"
