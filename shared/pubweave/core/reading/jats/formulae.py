"""Formulae as linear text: MathML and TeX become one line that a person and a search can read.

`a/b` for fractions, `x^2`, `x_i`, `√(x)`; what is more than one sign is put in parentheses. No layout is kept.
"""

import contextlib
import re
from typing import TYPE_CHECKING, Any, Final

from pubweave.core.reading.jats.document import Formula
from pubweave.core.reading.jats.text import attribute, one_line, plain_text

if TYPE_CHECKING:
    from lxml import etree

    from pubweave.core.reading.jats.walking.booking import PlaceNote

    Element = etree._Element

MAX_TEX_CHARACTERS: Final = 20_000

_ACCENTS: Final = {
    "¯": "\u0304",
    "^": "\u0302",
    "~": "\u0303",
    "˜": "\u0303",
    "→": "\u20d7",
    "˙": "\u0307",
    "ˆ": "\u0302",
}
_INVISIBLE: Final = "\u2061\u2062\u2063\u2064\u200b\ufeff"
_HIDE = str.maketrans("", "", _INVISIBLE)
_SPACED: Final = frozenset("=<>≤≥≠≈≡~∼→←↔⇒⇔∈∉⊂⊆∝±×·+−-")


def _name(element: "Element") -> str:
    tag: Any = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else "#"


def _group(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() or (text[:1] == "(" and text[-1:] == ")") else f"({text})"


def _parts(element: "Element") -> list[str]:
    return [linear(child) for child in element if isinstance(child.tag, str)]


def linear(element: "Element") -> str:
    """MathML as linear text."""
    name = _name(element)
    if name in ("mi", "mn", "mtext", "ms", "mo"):
        text = " ".join(map(str, element.itertext())).translate(_HIDE)
        text = " ".join(text.split())
        return f" {text} " if name == "mo" and text in _SPACED else text
    if name in ("annotation", "annotation-xml", "mphantom", "#"):
        return ""
    if name == "mspace":
        return " "
    parts = _parts(element)
    if name == "semantics":
        return parts[0] if parts else ""
    if name == "mfrac" and len(parts) == 2:
        return f"{_group(parts[0].strip())}/{_group(parts[1].strip())}"
    if name == "msqrt":
        return f"√({''.join(parts).strip()})"
    if name == "mroot" and len(parts) == 2:
        return f"({parts[0].strip()})^(1/{parts[1].strip()})"
    if name == "msup" and len(parts) == 2:
        return f"{parts[0]}^{_group(parts[1].strip())}"
    if name in ("msub", "munder") and len(parts) == 2:
        return f"{parts[0]}_{_group(parts[1].strip())}"
    if name == "mover" and len(parts) == 2:
        accent = _ACCENTS.get(parts[1].strip())
        if accent and len(parts[0].strip()) == 1:
            return parts[0].strip() + accent
        return f"{parts[0]}^{_group(parts[1].strip())}"
    if name in ("msubsup", "munderover") and len(parts) == 3:
        return f"{parts[0]}_{_group(parts[1].strip())}^{_group(parts[2].strip())}"
    if name == "mfenced":
        separators = (element.get("separators") or ",").strip()[:1] or ""
        middle = f"{separators} ".join(part.strip() for part in parts)
        return f"{element.get('open', '(')}{middle}{element.get('close', ')')}"
    if name == "mtable":
        return "; ".join(part for part in parts if part)
    if name in ("mtr", "mlabeledtr"):
        return ", ".join(part.strip() for part in parts)
    own = (element.text or "").strip().translate(_HIDE)
    return own + "".join(parts)


_TEX_PREAMBLE = re.compile(
    r"\\(?:documentclass|usepackage|setlength|addtolength)(?:\[[^\]\[]*+\])?(?:\{[^{}]*\})*"
)
_TEX_COMMAND = re.compile(r"\\([A-Za-z]+|.)")
_TEX_SIGNS: Final = {
    "times": "×", "cdot": "·", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠",
    "approx": "≈", "sim": "∼", "simeq": "≃", "equiv": "≡", "propto": "∝", "infty": "∞", "partial": "∂", "nabla": "∇",
    "sum": "∑", "prod": "∏", "int": "∫", "oint": "∮", "rightarrow": "→", "to": "→", "leftarrow": "←", "Rightarrow": "⇒",
    "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "degree": "°",
    "circ": "°", "ldots": "…", "dots": "…", "cdots": "⋯", "langle": "⟨", "rangle": "⟩", "prime": "′", "ell": "ℓ", "hbar": "ħ",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω", "sqrt": "√", "{": "{", "}": "}", "%": "%", "_": "_", "&": "&", "#": "#", "$": "$",
    "log": "log", "ln": "ln", "exp": "exp", "sin": "sin", "cos": "cos", "tan": "tan", "max": "max", "min": "min", "lim": "lim",
    "arg": "arg", "det": "det",
}  # fmt: skip
_TEX_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_TEX_SIMPLE_GROUP = re.compile(r"\{([^{}\s]|[A-Za-z0-9]+)\}")


def tex_body(tex: str) -> str:
    """The formula inside a LaTeX document, its preamble and dollar signs left out."""
    _, begun, body = tex.partition(r"\begin{document}")
    text = body.partition(r"\end{document}")[0] if begun else _TEX_PREAMBLE.sub(" ", tex)
    return " ".join(text.split()).strip("$ ")


def tex_linear(tex: str) -> str:
    """TeX as linear text; commands that are not known leave nothing but their arguments."""
    text = tex_body(tex[:MAX_TEX_CHARACTERS])
    for _ in range(4):
        simpler = _TEX_FRACTION.sub(
            lambda found: f"{_group(found[1].strip())}/{_group(found[2].strip())}", text
        )
        if simpler == text:
            break
        text = simpler
    text = re.sub(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\{[^{}]*\})?", " ", text)
    text = _TEX_COMMAND.sub(
        lambda found: _TEX_SIGNS.get(found[1], " " if not found[1].isalpha() else ""), text
    )
    text = (
        _TEX_SIMPLE_GROUP.sub(r"\1", text)
        .replace("{", "(")
        .replace("}", ")")
        .replace("&", " ")
        .replace("~", " ")
    )
    return " ".join(text.split())


def read_formula(note: "PlaceNote") -> Formula:
    """The formula that the walk took out of the text."""
    element: Element = note.element
    tex = text = label = ""
    graphics: list[str] = []
    for child in element.iter():
        name = _name(child)
        if name == "math" and not text:
            with contextlib.suppress(RecursionError):
                # nested beyond sense: the letters as they stand must do
                text = " ".join(linear(child).split())
        elif name == "tex-math" and not tex:
            tex = tex_body("".join(map(str, child.itertext()))[:MAX_TEX_CHARACTERS])
        elif name == "label" and not label:
            label = plain_text(child)
        elif name in ("graphic", "inline-graphic"):
            href = attribute(child, "href")
            if href:
                graphics.append(href)
    raw = one_line(note.text)
    if not text:
        text = tex_linear(tex) if tex else raw.removesuffix(label).strip() if label else raw
    holder = element.getparent()
    inner = _name(element)
    display = inner.startswith("disp-formula") or (
        holder is not None and _name(holder).startswith("disp-formula")
    )
    return Formula(
        content=note.content,
        field=note.field,
        offset=note.start,
        display=display,
        text=text,
        tex=tex,
        raw="" if raw == text else raw,
        label=label,
        id=element.get("id") or "",
        graphics=graphics,
    )
