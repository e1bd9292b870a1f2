"""Store and blobs on Cassandra: what the cluster looks things up in.

`CassandraStorage.open(CassandraPlace(...))` connects (`session.py`), looks whether the schema is the one that
this program knows (`migrations.py`; `migrate` brings it there) and gives `.store`, `.blobs` and `.views`.

Never says: an event (that is Kafka's). Never undoes: a batch is written in the order of writing, each write
durable by itself and safe to repeat, so a crash is mended by handling the same facts again. One owner writes
the state of one publication or identifier; where an older owner may still write, versions and write
timestamps decide, never who came last.
"""

from pubweave.adapters.cassandra.migrations import migrate
from pubweave.adapters.cassandra.session import CassandraLogin, CassandraPlace
from pubweave.adapters.cassandra.storage import CassandraStorage

__all__ = ["CassandraLogin", "CassandraPlace", "CassandraStorage", "migrate"]
