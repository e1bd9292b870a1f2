"""Article iteration: which URLs of an archival unit make one article, and in which role (L-01 … L-50).

`definition` says what a plugin declares, `templates` how its parameters fill it, `order` how a unit is walked,
`walk` what an URL becomes (the readable form), `compiled` the same as generated code for millions of URLs,
`explain` why, `families` what was missed and how a first plugin is proposed.
"""
