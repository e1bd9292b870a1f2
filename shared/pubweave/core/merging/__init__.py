"""How answers become one record: the chain of questions, the fold over facts, and who is who.

`chain` says which resource is asked when and with what, `decide` walks it over the `state` of a publication and says what is
asked next, `fold` makes the record of what was answered, `links` is the list of links to follow, `identity` settles two
publications that claim one identifier, `canfetch` says whether a stored entry may be asked for again, and `webpage_fold` does
for a web page or doc what `decide` and `fold` do for a publication. Pure like the rest of the core.
"""
