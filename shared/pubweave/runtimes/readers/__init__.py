"""Where long replies are read: processes beside the one that decides, which can be ended (design laws 5 and 7).

A step of a resource is pure, so it can run anywhere. Short replies are read where they arrive; pages and long
documents go to a reader. One that overruns its time or memory, or dies, is replaced, and the resource is told of its
reply as of one that no door could bring: `timeout`, `too-large` or `failed`, with the evidence.

    settings.py    how many processes, their bounds, and from which length a reply goes there
    messages.py    what is said between the two processes
    worker.py      the process that reads
    pool.py        `Readers`: a reply, a process, what the resource says
"""
