"""English-like scientific text, each sentence in every markup that the replies need.

A `Markup` is one piece of inline text in four spellings. They say the same; `plain` is what a reader of
any of them must find after whitespace is normalised.
"""

import random
from functools import lru_cache
from typing import NamedTuple

from simnet.draw import draw, pick


class Markup(NamedTuple):
    """One text in four spellings: plain, JATS inline markup, PubMed inline markup, bare HTML of Europe PMC."""

    plain: str
    jats: str
    pubmed: str
    html: str


SPECIES = (
    "Escherichia coli",
    "Saccharomyces cerevisiae",
    "Arabidopsis thaliana",
    "Drosophila melanogaster",
    "Caenorhabditis elegans",
    "Mycobacterium tuberculosis",
    "Danio rerio",
    "Plasmodium falciparum",
    "Aspergillus nidulans",
    "Oryza sativa",
    "Pseudomonas aeruginosa",
    "Xenopus laevis",
)
GENES = (
    "TP53",
    "BRCA2",
    "rpoB",
    "FLO11",
    "eIF4E",
    "CHEK2",
    "hsp90",
    "lacZ",
    "PIK3CA",
    "SOX2",
    "tnaA",
    "DNMT1",
)
METHODS = (
    "mass spectrometry",
    "single-cell sequencing",
    "a mixed-effects model",
    "Western blotting",
    "flow cytometry",
    "hidden Markov models",
    "cryo-electron microscopy",
    "a Bayesian phylogeny",
    "RNA interference",
    "a randomised crossover design",
    "chromatin immunoprecipitation",
    "a support vector machine",
)
SUBJECTS = (
    "stress response",
    "protein folding",
    "gene regulation",
    "wound healing",
    "antibiotic tolerance",
    "tumour progression",
    "root development",
    "synaptic plasticity",
    "host–pathogen interaction",
    "lipid metabolism",
    "circadian rhythm",
    "DNA repair",
    "membrane transport",
    "insulin signalling",
)
ADJECTIVES = (
    "persistent",
    "unexpected",
    "dose-dependent",
    "robust",
    "seasonal",
    "tissue-specific",
    "reversible",
    "small but consistent",
    "age-related",
    "non-linear",
    "heritable",
    "transient",
)
PLACES = (
    "Tartu",
    "Genève",
    "São Paulo",
    "Łódź",
    "Kyoto",
    "Uppsala",
    "Malmö",
    "Zürich",
    "Bogotá",
    "Reykjavík",
)
SURNAMES = (
    "Müller", "Nguyen", "O'Brien", "García-López", "Ivanov", "Kask", "Şahin", "Okafor", "Lindström", "Tanaka",
    "Dubois", "Novák", "Haas", "Silva", "Jensen", "Kowalczyk", "Rossi", "Ødegård", "Petrov", "van der Berg",
    "Yılmaz", "Cohen", "Mbeki", "Park", "Castillo", "Bäcker", "Fitzgerald", "Horváth", "Sørensen", "Zhang",
)  # fmt: skip
GIVEN = (
    "Anna", "José", "Wei", "Mari", "Ömer", "Chinonso", "Åsa", "Hiroko", "Élodie", "Jan", "Ruth", "Paulo", "Mette",
    "Kasia", "Luca", "Ingrid", "Dmitri", "Sofie", "Elif", "David", "Thandi", "Min-jun", "Lucía", "Jürgen", "Zoltán",
)  # fmt: skip
MAJOR_TOPICS = (
    ("Humans", "D006801"),
    ("Animals", "D000818"),
    ("Stress, Physiological", "D013312"),
    ("Gene Expression Regulation", "D005786"),
    ("Mass Spectrometry", "D013058"),
    ("DNA Repair", "D004260"),
    ("Models, Statistical", "D015233"),
    ("Neoplasms", "D009369"),
    ("Circadian Rhythm", "D002940"),
    ("Lipid Metabolism", "D050356"),
    ("Wound Healing", "D014945"),
    ("Escherichia coli", "D004926"),
    ("Flow Cytometry", "D005434"),
    ("Neuronal Plasticity", "D009473"),
    ("Databases, Factual", "D016208"),
    ("Phylogeny", "D010802"),
)
QUALIFIERS = (
    ("genetics", "GE", "Q000235"),
    ("metabolism", "ME", "Q000378"),
    ("drug therapy", "DT", "Q000188"),
    ("physiology", "PH", "Q000502"),
    ("methods", "MT", "Q000379"),
)
KEYWORDS = (
    "systems biology", "proteomics", "β-catenin", "meta-analysis", "open data", "climate", "biomarkers", "CRISPR–Cas9",
    "phylogenetics", "Bayesian inference", "cell cycle", "text mining", "microbiome", "ageing", "Na+/K+-ATPase",
    "cohort study", "structural variation", "transcriptomics", "drug resistance", "in situ hybridization",
)  # fmt: skip
EFO_TERMS = (
    ("RNA-Seq", "http://www.ebi.ac.uk/efo/EFO_0008896"),
    ("ChIP-seq", "http://www.ebi.ac.uk/efo/EFO_0002692"),
    ("flow cytometry", "http://www.ebi.ac.uk/efo/EFO_0010642"),
    ("mass spectrometry", "http://purl.obolibrary.org/obo/MI_0943"),
    ("western blot", "http://purl.obolibrary.org/obo/MI_0113"),
    ("x-ray crystallography", "http://purl.obolibrary.org/obo/MI_0114"),
    ("immunofluorescence", "http://purl.obolibrary.org/obo/OBI_0003093"),
    ("polymerase chain reaction", "http://purl.obolibrary.org/obo/OBI_0000415"),
    ("microarray", "http://www.ebi.ac.uk/efo/EFO_0002768"),
    ("pull down", "http://purl.obolibrary.org/obo/MI_0096"),
)
GO_TERMS = (
    ("autophagy", "http://purl.obolibrary.org/obo/GO_0006914"),
    ("apoptotic process", "http://purl.obolibrary.org/obo/GO_0006915"),
    ("DNA repair", "http://purl.obolibrary.org/obo/GO_0006281"),
    ("cell cycle", "http://purl.obolibrary.org/obo/GO_0007049"),
    ("translation", "http://purl.obolibrary.org/obo/GO_0006412"),
    ("cytoplasm", "http://purl.obolibrary.org/obo/GO_0005737"),
    ("nucleus", "http://purl.obolibrary.org/obo/GO_0005634"),
    ("protein folding", "http://purl.obolibrary.org/obo/GO_0006457"),
    ("glycolytic process", "http://purl.obolibrary.org/obo/GO_0006096"),
    ("kinase activity", "http://purl.obolibrary.org/obo/GO_0016301"),
)
SYNONYMS = {
    "RNA-Seq": ("RNA-Seq", "RNA-seq", "RNA sequencing"),
    "western blot": ("Western blot", "western blotting", "immunoblot"),
    "polymerase chain reaction": ("PCR", "polymerase chain reaction"),
    "apoptotic process": ("apoptosis", "apoptotic"),
    "autophagy": ("autophagy", "autophagic"),
}

_OPENINGS = (
    "Here we show that", "In contrast,", "Our data suggest that", "It remains unclear whether", "We then asked if",
    "As expected,", "Taken together,", "Surprisingly,", "In line with earlier work,", "Across all cohorts,",
)  # fmt: skip
_VERBS = (
    "reduces",
    "accompanies",
    "precedes",
    "is required for",
    "modulates",
    "does not explain",
    "predicts",
)

REFERENCES_ALWAYS = 20
"""Every full text has at least this many references, so a sentence may cite any number up to it."""


def escape(text: str) -> str:
    """The three characters XML text cannot hold."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def bare(text: str) -> Markup:
    """A text without markup in its four spellings."""
    safe = escape(text)
    return Markup(text, safe, safe, text)


def italic(text: str) -> Markup:
    safe = escape(text)
    return Markup(text, f"<italic>{safe}</italic>", f"<i>{safe}</i>", f"<i>{text}</i>")


def sub(text: str) -> Markup:
    return Markup(text, f"<sub>{text}</sub>", f"<sub>{text}</sub>", f"<sub>{text}</sub>")


def sup(text: str) -> Markup:
    return Markup(text, f"<sup>{text}</sup>", f"<sup>{text}</sup>", f"<sup>{text}</sup>")


def joined(*pieces: Markup) -> Markup:
    """The pieces one after the other, with nothing between."""
    return Markup(*("".join(spellings) for spellings in zip(*pieces, strict=True)))


def _sentence(rng: random.Random) -> Markup:
    opening, verb = pick(_OPENINGS, rng), pick(_VERBS, rng)
    head = bare(f"{opening} {pick(ADJECTIVES, rng)} {pick(SUBJECTS, rng)} {verb} {pick(SUBJECTS, rng)}")
    form = int(rng.random() * 8)
    if form == 0:
        tail = joined(bare(" in "), italic(pick(SPECIES, rng)), bare(" grown at 37 °C"))
    elif form == 1:
        tail = joined(
            bare(" once "), italic(pick(GENES, rng)), bare(f" is lost (P < .0{1 + int(rng.random() * 5)})")
        )
    elif form == 2:
        tail = joined(bare(" when Ca"), sup("2+"), bare(" or H"), sub("2"), bare("O is limiting"))
    elif form == 3:
        tail = bare(
            f" as measured by {pick(METHODS, rng)} in {pick(PLACES, rng)} (n = {3 + int(rng.random() * 900)})"
        )
    elif form == 4:
        tail = bare(f" by a factor of {rng.random() * 9:.2f} ± {rng.random():.2f} µg·mL⁻¹ & never beyond")
    elif form == 5:
        tail = bare(f", which agrees with “{pick(ADJECTIVES, rng)}” models of α- and β-subunits")
    elif form == 6:
        tail = bare(
            f" under {pick(METHODS, rng)}, although the effect of {pick(SUBJECTS, rng)} was weaker than reported"
        )
    else:
        tail = bare(
            f"; {pick(METHODS, rng)} gave the same ranking in {pick(PLACES, rng)} and {pick(PLACES, rng)}"
        )
    return joined(head, tail, bare("."))


def _cited(sentence: Markup, number: int) -> Markup:
    mark = f'<xref ref-type="bibr" rid="B{number}">{number}</xref>'
    cut = [spelling[:-1] for spelling in sentence]
    return Markup(
        f"{cut[0]} [{number}].", f"{cut[1]} [{mark}].", f"{cut[2]} [{number}].", f"{cut[3]} [{number}]."
    )


class Prose:
    """The stock of sentences of one universe; publications take their text from it.

    Each sentence of the stock is about 60-190 characters. Sentences that cite stand in full texts only.
    """

    def __init__(self, seed: int, stock: int = 1200) -> None:
        rng = draw(seed, "prose")
        self.sentences = [_sentence(rng) for _ in range(stock)]
        self.citing = [_cited(_sentence(rng), 1 + i % REFERENCES_ALWAYS) for i in range(stock // 2)]
        self._body = self.sentences + self.citing

    def abstract_sentences(self, rng: random.Random, count: int) -> list[Markup]:
        """`count` sentences without citations."""
        stock, size = self.sentences, len(self.sentences)
        return [stock[int(rng.random() * size)] for _ in range(count)]

    def paragraph(self, rng: random.Random, count: int) -> list[Markup]:
        """`count` sentences for a full text; about one in three cites."""
        stock, size = self._body, len(self._body)
        return [stock[int(rng.random() * size)] for _ in range(count)]


@lru_cache(maxsize=4)
def prose(seed: int) -> Prose:
    """The stock of sentences of a seed, made once."""
    return Prose(seed)


def title(rng: random.Random) -> Markup:
    """A title of 40-150 characters, about half of them with inline markup."""
    form = int(rng.random() * 6)
    subject, other, method = pick(SUBJECTS, rng), pick(SUBJECTS, rng), pick(METHODS, rng)
    if form == 0:
        return joined(bare(f"{pick(ADJECTIVES, rng).capitalize()} {subject} in "), italic(pick(SPECIES, rng)))
    if form == 1:
        return joined(italic(pick(GENES, rng)), bare(f" links {subject} to {other}: evidence from {method}"))
    if form == 2:
        return joined(bare("Ca"), sup("2+"), bare(" and CO"), sub("2"), bare(f" in {subject} & {other}"))
    if form == 3:
        return bare(f"Does {subject} explain {other}? A study by {method} in {pick(PLACES, rng)}")
    if form == 4:
        return bare(f"From {subject} to {other}: {pick(ADJECTIVES, rng)} effects of α₁-blockade (p < 0.05)")
    return bare(f"{method[0].upper()}{method[1:]} of {subject} and {pick(ADJECTIVES, rng)} {other}")


def space_normalised(text: str) -> str:
    """The text with each run of white space as one blank, none at the ends."""
    return " ".join(text.split())
