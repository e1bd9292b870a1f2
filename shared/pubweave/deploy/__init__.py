"""What is started where: the blocks of docker-compose.yml and k8s/ that are made from the registry.

`services.py` says what each service is (image, memory, whether it reaches the world, how many of it have work),
`compose.py` and `manifests.py` write it down, `generate.py` puts it into the files. Everything else in those
files is written by hand. Never touches a cluster.
"""
