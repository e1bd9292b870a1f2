"""One self-contained page: nothing in it asks anybody for anything, and no content can act in it."""

import base64
import hashlib
from typing import Final

from pubweave.output.html_assets import SCRIPT, STYLE
from pubweave.output.html_escape import escape_attribute, escape_text
from pubweave.version import IDENTIFICATION


def _hash(content: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"


POLICY: Final = (
    f"default-src 'none'; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)}; base-uri 'none'; "
    "form-action 'none'"
)
"""Content-Security-Policy: our style and our script by their digests, and nothing else at all."""


def head(title: str) -> str:
    """Everything before the first entry."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape_attribute(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="{escape_attribute(IDENTIFICATION)}">
<title>{escape_text(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<header class="bar">
<h1>{escape_text(title)}</h1>
<input type="search" id="find" placeholder="Search ( / )" aria-label="Search" autocomplete="off" spellcheck="false">
<output id="told" for="find"></output>
<button type="button" id="brief" aria-pressed="false">Titles</button>
<button type="button" id="fold" aria-pressed="false">Open all</button>
<button type="button" id="theme">Theme</button>
</header>
<main>
"""


def tail() -> str:
    """Everything after the last entry."""
    return f"""<p class="nothing" id="nothing" hidden>Nothing here holds all these words.</p>
</main>
<script>{SCRIPT}</script>
</body>
</html>
"""
