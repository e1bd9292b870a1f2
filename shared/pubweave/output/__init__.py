"""What records look like to others: pure renderings, in the layouts of chapter 18.

One module per format. `selection` says what is shown, `publication` what a record says; a format only lays
that out. No I/O here: everything returns text or bytes, piece by piece where there may be a million records.
"""
