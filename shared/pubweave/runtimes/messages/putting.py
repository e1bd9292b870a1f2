"""Which publication a record that is put takes the place of, by what is stored."""

from pubweave.contract.vocabulary import IdentifierKind
from pubweave.core.merging.putting import Putting, plan_put
from pubweave.core.record import Record, decode_record
from pubweave.ports import Store


async def planned(store: Store, record: Record) -> tuple[Putting, str]:
    """See `plan_put`.

    :returns: and the key that the record is stored under; "" for a new publication
    """
    found: dict[IdentifierKind, Record] = {}
    under_way: list[str] = []
    for kind, value in record.identifiers.known():
        for holder in (await store.holders([(kind, value)])).values():
            key = await store.resolve(holder)
            stored = await store.record(key)
            if stored is not None and not stored.removed:
                found[kind] = decode_record(stored.body)
            else:
                under_way.append(key)
    putting = plan_put(record, found)
    return putting, putting.key or min(under_way, default="")
