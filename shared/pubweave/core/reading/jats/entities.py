"""Named character entities without a DTD.

JATS files name characters by the ISO and HTML entity sets that their DTD declares. The DTD is never fetched, so
the names are looked up here, before the parser sees them; a name that nobody knows survives as it is written.
"""

import re
from collections.abc import Iterator
from html.entities import html5
from typing import Final

from pubweave.core.reading.jats.errors import MalformedJats

PREDEFINED: Final = frozenset({b"amp", b"lt", b"gt", b"quot", b"apos"})

MAX_EXPANDED_BYTES: Final = 1 << 20
"""How much text the entities declared inside a document may add to it, in all."""

MAX_ENTITY_DEPTH: Final = 4
"""How deep declared entities may name each other."""

_SUSPECT = re.compile(rb"&(?!amp;|lt;|gt;|#|quot;|apos;)")
_REFERENCE = re.compile(rb"&([A-Za-z_][\w.:-]*);")
_DECLARATION = re.compile(rb"""<!ENTITY\s+([A-Za-z_][\w.:-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>""")


def _greek_bold() -> dict[str, str]:
    """ISO 9573's bold Greek letters (`b.alpha`), which HTML does not have."""
    names = [
        "Alpha",
        "Beta",
        "Gamma",
        "Delta",
        "Epsilon",
        "Zeta",
        "Eta",
        "Theta",
        "Iota",
        "Kappa",
        "Lambda",
        "Mu",
        "Nu",
        "Xi",
        "Omicron",
        "Pi",
        "Rho",
        "ThetaSymbol",
        "Sigma",
        "Tau",
        "Upsilon",
        "Phi",
        "Chi",
        "Psi",
        "Omega",
        "nabla",
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "omicron",
        "pi",
        "rho",
        "sigmav",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
    ]
    return {f"b.{name}": chr(0x1D6A8 + place) for place, name in enumerate(names)}


_ISO_ONLY: Final = {
    # names of the ISO sets (ISO 8879, ISO 9573-13) and of older NLM DTDs that HTML 5 leaves out
    "agr": "α", "bgr": "β", "ggr": "γ", "dgr": "δ", "egr": "ε", "zgr": "ζ", "eegr": "η", "thgr": "θ",
    "igr": "ι", "kgr": "κ", "lgr": "λ", "mgr": "μ", "ngr": "ν", "xgr": "ξ", "ogr": "ο", "pgr": "π",
    "rgr": "ρ", "sgr": "σ", "sfgr": "ς", "tgr": "τ", "ugr": "υ", "phgr": "φ", "khgr": "χ", "psgr": "ψ",
    "ohgr": "ω", "Ggr": "Γ", "Dgr": "Δ", "THgr": "Θ", "Lgr": "Λ", "Xgr": "Ξ", "Pgr": "Π", "Sgr": "Σ",
    "PHgr": "Φ", "PSgr": "Ψ", "OHgr": "Ω", "fflig": "ff", "filig": "fi", "fllig": "fl", "ffilig": "ffi",
    "ffllig": "ffl", "fjlig": "fj", "incare": "℅", "nldr": "‥", "lsquor": "‚", "ldquor": "„", "rsquor": "’",
    "rdquor": "”", "sung": "♪", "jnodot": "ȷ", "nbthinsp": "\u202f", "thinspace": "\u2009", "hyphen": "‐",
    "angst": "Å", "wreath": "≀", "vprime": "′", "epsi": "ε", "phis": "φ", "thetas": "θ", "gammad": "ϝ",
}  # fmt: skip


def _table() -> dict[bytes, bytes]:
    characters = {name.removesuffix(";"): value for name, value in html5.items() if name.endswith(";")}
    characters |= _greek_bold() | _ISO_ONLY
    return {
        name.encode(): "".join(f"&#{ord(letter)};" for letter in value).encode()
        for name, value in characters.items()
        if name.encode() not in PREDEFINED
    }


CHARACTERS: Final = _table()


def spell_out(data: bytes, declared: dict[bytes, bytes] | None = None) -> bytes:
    """Put a character for every named entity of `data`; unknown names become visible text (`&amp;name;`).

    :param declared: values of entities that the document itself declares, as they stand in its DTD
    :raises MalformedJats: the declared entities would add more than `MAX_EXPANDED_BYTES`
    """
    if _SUSPECT.search(data) is None:
        return data
    budget = [MAX_EXPANDED_BYTES]

    def replacement(name: bytes, depth: int) -> bytes:
        if declared and name in declared:
            if depth > MAX_ENTITY_DEPTH:
                raise MalformedJats(f"entities name each other more than {MAX_ENTITY_DEPTH} deep")
            value = _REFERENCE.sub(lambda inner: replacement(inner[1], depth + 1), declared[name])
            budget[0] -= len(value)
            if budget[0] < 0:
                raise MalformedJats(f"entities expand to more than {MAX_EXPANDED_BYTES} bytes")
            return value
        if name in PREDEFINED:
            return b"&" + name + b";"
        return CHARACTERS.get(name) or b"&amp;" + name + b";"

    def found(match: re.Match[bytes]) -> bytes:
        return replacement(match[1], 1)

    return b"".join(piece if verbatim else _REFERENCE.sub(found, piece) for piece, verbatim in _pieces(data))


_VERBATIM: Final = ((b"<![CDATA[", b"]]>"), (b"<!--", b"-->"), (b"<?", b"?>"))


def _pieces(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The document cut where no entity is one: CDATA sections, comments and instructions are verbatim (true)."""
    done = 0
    nexts = {opening: data.find(opening) for opening, _ in _VERBATIM}
    while True:
        start, opening, closing = min(
            ((nexts[opening], opening, closing) for opening, closing in _VERBATIM if nexts[opening] >= 0),
            default=(-1, b"", b""),
        )
        end = data.find(closing, start + len(opening)) if start >= 0 else -1
        if end < 0:
            # nothing more of the kind, or one without an end, which the parser will refuse
            yield data[done:], False
            return
        end += len(closing)
        yield data[done:start], False
        yield data[start:end], True
        done = end
        for known, _ in _VERBATIM:
            if 0 <= nexts[known] < end:
                nexts[known] = data.find(known, end)


def declarations(subset: bytes) -> dict[bytes, bytes]:
    """The general entities with a literal value that an internal DTD subset declares.

    External entities (SYSTEM, PUBLIC) and parameter entities are not among them: they are never read.
    """
    found: dict[bytes, bytes] = {}
    for name, double, single in _DECLARATION.findall(subset):
        found.setdefault(name, double or single)
    return found
