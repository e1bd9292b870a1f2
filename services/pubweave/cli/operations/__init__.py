"""Everything PubFetcher's users can ask for, in one table, and the pipeline that does it (chapter 17).

`table.OPERATIONS` has a row for each option. The legacy command line, `pubweave pipe`, their help,
docs/operations.md and the tests are made from it. `grammar` reads command lines, `pipeline` carries them out.
"""
