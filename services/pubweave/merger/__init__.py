"""The merger: hears what was submitted and what was found; says what is needed and what came out.

Hears   fetch-requested, part-candidates (findings and resource-done), new-ids
Asks    nobody outside; it sends needs-part to the resources and claims identifiers at new-ids
Says    run-accepted, needs-part, new-id, restarted, publications-joined, publication-updated,
        submission-settled, identifiers-conflicted
Never   fetches, parses, or asks a source; every rule of precedence is in core (P-05)
"""
