"""Each module of the core can be the first that a process imports.

A worker imports what its first question needs, so a circle of imports that the usual order hides ends it.
"""

import subprocess
import sys
from pathlib import Path

import pubweave.contract

CORE = Path(pubweave.contract.__path__[0]).parent / "core"

# Other people's modules are loaded once; each of ours in a child that has none of ours yet.
PROGRAM = """
import os, sys
import lxml.etree, msgspec, regex, selectolax.lexbor, yaml, hashlib, unicodedata, logging
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            __import__(name)
        except BaseException as problem:
            print(f"{name}: {problem!r}", flush=True)
            os._exit(1)
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_every_module_of_the_core_can_be_imported_first() -> None:
    names = [
        ".".join(("pubweave", "core", *path.relative_to(CORE).with_suffix("").parts)).removesuffix(
            ".__init__"
        )
        for path in sorted(CORE.rglob("*.py"))
    ]
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *names], capture_output=True, text=True, check=True)

    assert len(names) > 50
    assert ran.stdout == ""
