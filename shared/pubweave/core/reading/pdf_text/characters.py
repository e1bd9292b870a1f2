"""What fonts and producers do to characters, undone; and from the raw text of a block to its lines."""

import re
from typing import Final

_SYMBOL_GREEK: Final = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "αβχδεφγηιϕκλμνοπθρστυϖωξψζΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
)
"""Where the Symbol font keeps Greek letters (Adobe Symbol encoding)."""
_SYMBOL_SIGNS: Final = {
    0xA2: "′",
    0xA3: "≤",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB2: "″",
    0xB3: "≥",
    0xB4: "×",
    0xB5: "∝",
    0xB6: "∂",
    0xB7: "•",
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xBC: "…",
    0xC5: "⊕",
    0xD2: "®",
    0xD3: "©",
    0xD4: "™",
    0xD5: "∏",
    0xD6: "√",
    0xD7: "⋅",
    0xE5: "∑",
    0xF2: "∫",
}

_MENDED: Final[dict[int, str | None]] = {
    # U+F000 to U+F0FF: characters of symbol fonts, moved there by the TrueType specification.
    **{0xF000 + code: chr(code) for code in range(0x20, 0x7F)},
    **{0xF000 + ord(letter): greek for letter, greek in _SYMBOL_GREEK.items()},
    **{0xF000 + code: sign for code, sign in _SYMBOL_SIGNS.items()},
    # Ligatures, where the library keeps them.
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    # A hyphen that is drawn is no soft hyphen, whatever the font calls its glyph; U+FFFE is PDFium's word for it.
    0x00AD: "-",
    0x2010: "-",
    0x2011: "-",
    0xFFFE: "-",
    # Of no width, or for other programs.
    0x200B: None,
    0x200C: None,
    0x200D: None,
    0x2060: None,
    0xFEFF: None,
    **dict.fromkeys((*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F)),
}
_ODD: Final = re.compile("[" + "".join(map(re.escape, map(chr, _MENDED))) + "]")


def mended(text: str) -> str:
    """The text with symbol fonts' letters, ligatures and hyphens as what they look like."""
    if not _ODD.search(text):
        return text
    # A hyphen that may break is drawn once and told twice.
    return text.replace("-\u00ad", "-").translate(_MENDED)


def lines_of(raw: str) -> tuple[str, ...]:
    """The lines of a block's text, white space collapsed, without empty ones."""
    return tuple(" ".join(words) for line in mended(raw).split("\n") if (words := line.split()))
