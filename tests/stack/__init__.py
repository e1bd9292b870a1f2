"""The real Kafka and Cassandra for tests: started from their Maven jars, or used where somebody runs them.

By hand: `PYTHONPATH=tests python -m stack up|down|status`. In tests: `stack.fixtures`. Whoever uses a server
holds a lease (a file with its process id); the last one to let go stops it.
"""
