"""The bus in one thread, seeded: partitions, groups, rebalances, crashes, repeats and delays (design law 8).

Everything that Kafka allows happens here thousands of times a minute; a seed that fails, fails again.
"""
