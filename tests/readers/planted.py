"""A resource whose pages do to the process that reads them what they say: a module of its own, as processes find it by
its name."""

import os
import re
import signal
import sys
import time

import msgspec

from pubweave.contract.exchange import Reply, Work
from pubweave.core.toolkit.service import Context, Said, Service
from pubweave.core.toolkit.webpage_asking import WebpageSaid, WebpageService
from pubweave.registry import page_service, service

DOES = re.compile(rb"this page (\w+)s")
LONG = "<!--" + "x" * 10_000 + "-->"
"""What makes a page long enough to be read beside."""


def evil(what: str) -> str:
    """What a page has to say to be one of them: loop, sleep, nap, eat, crash, leave, quit, break."""
    return f"<p>this page {what}s</p>{LONG}"


def _do(reply: Reply | None) -> None:
    found = DOES.search(reply.body) if reply is not None else None
    match found[1].decode() if found else "":
        case "loop":
            while True:
                pass
        case "sleep":
            time.sleep(3600)
        case "eat":
            eaten = []
            while True:
                eaten.append(bytearray(10 << 20))
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leave":
            os._exit(3)
        case "quit":
            sys.exit("enough")
        case "nap":
            time.sleep(2)
        case "break":
            raise ZeroDivisionError("this page breaks its reader")


def doi_step(work: Work, reply: Reply | None, context: Context) -> list[Said]:
    _do(reply)
    return service("doi").step(work, reply, context)


def webpage_step(work: Work, reply: Reply | None, context: Context) -> list[WebpageSaid]:
    _do(reply)
    return page_service("webpage").step(work, reply, context)


def doi() -> Service:
    return msgspec.structs.replace(service("doi"), step=doi_step)


def webpages() -> WebpageService:
    return page_service("webpage")._replace(step=webpage_step)
