"""Processes that can be ended: what opens bytes of the outside does so in one of these (design law 7).

    ended.py       `EndableProcess`: one such process from its start to its end, as the one that asks sees it
    child.py       the same as the process itself sees it: frames in, frames out, bounds that hold
    quarantine.py  contents that killed a process: not read again

A process answers frames on its standard input with frames on its standard output, one each. It is killed when it
overruns a deadline, is cancelled or says nonsense, and the operating system ends it when it uses more memory or
processor time than it may, or when the process that asks is gone.
"""
