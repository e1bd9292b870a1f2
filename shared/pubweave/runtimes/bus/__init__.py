"""The services on Kafka: one Faust app each, over the same handlers as the other runtimes (P-10).

Faust drives, it does not remember: no tables, offsets move after effects are durable (design law 8).
"""
