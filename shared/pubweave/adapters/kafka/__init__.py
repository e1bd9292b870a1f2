"""Kafka: the topics of the catalogue made and checked (`topics.py`, `admin.py`), and the log on them (`log.py`).

The services of a cluster hear and speak through the runtime; this is what the operator, rebuilding and erasing
need. aiokafka is imported here and in the runtime only.
"""

from pubweave.adapters.kafka.log import KafkaLog
from pubweave.adapters.kafka.place import KafkaPlace

__all__ = ["KafkaLog", "KafkaPlace"]
