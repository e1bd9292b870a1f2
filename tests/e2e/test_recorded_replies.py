"""The main job over the real replies that were recorded (what they cannot show stands in docs/deviations.md)."""

from collections import Counter

from e2e.recorded import Recorded, fetch_all, report
from shared_data import needs_shared_data

pytestmark = needs_shared_data


async def test_everything_recorded_becomes_a_record() -> None:
    """Each recorded identifier ends as one finished record; the parts that the replies hold come out."""
    recorded = Recorded()
    done = await fetch_all(recorded)
    counts = report(done)
    parts: Counter[str] = Counter()
    for (part, _), count in counts.items():
        parts[part] += count
    print(dict(parts), dict(Counter(one.settled.outcome for one in done)))

    assert len(done) == len(recorded.lines())
    assert {one.settled.outcome for one in done} <= {"finished", "corrected"}
    assert not any(one.record.fetch_exception for one in done if one.record is not None)
    assert parts["title"] >= 0.99 * len(done)
    assert parts["theAbstract"] >= 0.7 * len(done)
    assert counts[("fulltext", "europepmc_xml")] >= 10
    assert counts[("fulltext", "pmc_xml")] >= 50
    assert counts[("mesh", "pubmed_xml")] >= 100
    assert not [one for one in done if one.record is not None and "<" in one.record.title.text[:1]]
