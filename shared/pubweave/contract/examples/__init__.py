"""One or more examples of every kind of event, as code; `generate.py` writes them beside this file as JSON.

They tell one story, of a publication that is not real: submitted by its PMID, claimed, found in Europe PMC,
and all that can happen on the way. Examples of versions that are no longer written stay as files only.
"""

from pubweave.contract.examples.told import EXAMPLES

__all__ = ["EXAMPLES"]
