from pubweave.contract.values import Value


class ErasureRequested(Value, tag_field="kind", tag="erasure-requested", frozen=True, omit_defaults=True):
    """Everything known of a publication, web page or doc is to be erased for good: record, facts, texts, who asked for it.

    Its owner ends the publication at the first look, erases at the second, when all rows are durable, and looks a third
    time later for what somebody slow had still under way. (A page is erased at once, and can be there anew by then.)
    """

    publication: str
    request: str
    """Names the request: said again under this name it is the same."""
    contents: tuple[str, ...] = ()
    """Digests of long contents that nothing else refers to."""
    survivor: str = ""
    """The publication that this one had become part of, and that says this."""
    look: int = 1
