"""The words of walls, logins and errors, and whether a title is nothing but such words.

An article may be about error correction, DDoS attacks or what was not found in controls. So a word tells nothing; a
title or heading tells something only if all of it is what servers say, as in "The requested page was not found".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Speech = Literal["bot-wall", "login", "consent-wall", "soft-404", "error"]

LONGEST_SPEECH = 160
"""Characters; servers are brief."""

_PIECES = re.compile(r"\s[|•·–—:»>-]{1,2}\s|[|»•·]")
"""What sets a page's own title off from that of its site. A colon or full stop is within a title."""
_WORD = re.compile(r"[\w'’.-]+")

# What makes a piece of a title the speech of one kind; the first that fits.
_KEYS: tuple[tuple[Speech, re.Pattern[str]], ...] = (
    (
        "bot-wall",
        re.compile(
            r"just a moment|attention required|access denied|access to this page has been denied|^blocked$|"
            r"pardon our interruption|(?:are|re) (?:you )?(?:not )?a (?:robot|human|bot)\b|"
            r"(?:checking|verifying) your browser|security (?:check|verification)|site verification|robot check|"
            r"verif(?:y|ying) (?:that )?you are (?:a )?human|human verification|verification required|"
            r"wait for verification|please wait|request unsuccessful|ddos protection|"
            r"bot (?:detection|verification|manager)|captcha|radware|you are being redirected|preparing to download",
            re.IGNORECASE,
        ),
    ),
    (
        "login",
        re.compile(
            r"sign[ -]?in\b|log[ -]?in\b|\blogin\b|\blogon\b|single sign[ -]on|shibboleth|"
            r"(?:find|select) your institution|authentication required|access through your institution",
            re.IGNORECASE,
        ),
    ),
    (
        "consent-wall",
        re.compile(
            r"before you continue|your privacy|cookie (?:consent|settings|policy|preferences)|^consent$|"
            r"cookies? (?:are |is )?(?:required|disabled|absent)|accept cookies|cookie absent",
            re.IGNORECASE,
        ),
    ),
    (
        "soft-404",
        re.compile(
            r"\b404\b|not[ -]found|(?:does|do) not exist|doesn.t exist|no longer (?:available|exists)|"
            r"can(?:not|.t| not) (?:be )?(?:find|found)|could(?:n.t| not) (?:be )?(?:find|found)|page (?:is )?missing|"
            r"nothing (?:was )?found|invalid (?:doi|article|url|identifier)|seite nicht gefunden|page introuvable",
            re.IGNORECASE,
        ),
    ),
    (
        "error",
        re.compile(
            r"\berror\b|\boops\b|\bsorry\b|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|"
            r"maintenance\b|bad request|\bforbidden\b|temporarily unavailable|went wrong|unauthori[sz]ed|"
            r"too many requests",
            re.IGNORECASE,
        ),
    ),
)

_SERVER_SPEECH = """
a an the this that these your you you're we we're us our i it its it's is are was were be been being has have had do does
don't did not no nor or and but if to of on in at for from with by as up out into please try again later soon moment
just once more than any anymore longer wait while now back go home here before after continue continuing
page pages site sites web website webpage server service services system application database gateway proxy network host
browser connection request requested requests looking look looked article articles paper document documents file files
content contents resource resources item items record link url urls address doi dois id identifier identifiers journal
find found finding exist exists available unavailable missing moved removed deleted invalid unknown cannot can can't
could couldn't would unable something anything nothing went wrong sorry oops uh oh hmm error errors http https status code
internal bad gateway timeout time-out unexpected occurred happened temporarily maintenance scheduled down closed under
too many unauthorized unauthorised forbidden denied access accessing accessed allowed restricted blocked block required
attention pardon interruption unsuccessful redirected security secure check checking checked verify verifying verified
verification human robot robots bot bots captcha recaptcha ddos protection protected detection manager preparing download
used use using firewall cloudflare sucuri incapsula imperva akamai datadome perimeterx radware nginx apache
log login logon sign signed in-in register registration single sign-on shibboleth institution institutional select through
authentication account accounts member members user users password cookie cookies consent privacy value preferences settings
policy disabled enabled absent accept making sure enter site's und seite nicht gefunden introuvable
"""
_SERVER_WORDS = frozenset(_SERVER_SPEECH.split())


def speech_of(texts: Iterable[str], article_titles: Iterable[str] = ()) -> tuple[Speech, str] | None:
    """(kind, piece) of the first piece of the texts that is nothing but the speech of a server.

    :param texts: a page's title and headings
    :param article_titles: titles of the article; what stands in one of them is no speech
    """
    titles = [title.lower() for title in article_titles]
    for text in texts:
        for raw in _PIECES.split(text[: 4 * LONGEST_SPEECH]):
            piece = raw.strip(" .!?…:\"'“”‘’-–—|")
            if not piece or len(piece) > LONGEST_SPEECH or any(piece.lower() in title for title in titles):
                continue
            for kind, key in _KEYS:
                if key.search(piece) and _is_servers(piece):
                    return kind, piece
    return None


def _is_servers(piece: str) -> bool:
    """Whether all words are those of servers, numbers of statuses, or names of hosts."""
    return all(
        word in _SERVER_WORDS or (word.isdecimal() and len(word) == 3) or "." in word
        for raw in _WORD.findall(piece.lower().replace("’", "'"))
        if (word := raw.strip(".-'"))
    )
