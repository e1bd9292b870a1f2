"""ArticleFiles: one article of an archival unit, its files by role (L-10 … L-14)."""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

ROLE_FULL_TEXT_HTML = "FullTextHtml"
ROLE_FULL_TEXT_PDF = "FullTextPdfFile"
ROLE_FULL_TEXT_EPUB = "FullTextEpub"
ROLE_FULL_TEXT_XML = "FullTextXml"
ROLE_ABSTRACT = "Abstract"
ROLE_REFERENCES = "References"
ROLE_FIGURES = "Figures"
ROLE_TABLES = "Tables"
ROLE_SUPPLEMENTARY_MATERIALS = "SupplementaryMaterials"
ROLE_CITATION = "Citation"
ROLE_CITATION_BIBTEX = "CitationBibtex"
ROLE_CITATION_ENDNOTE = "CitationEndnote"
ROLE_CITATION_RIS = "CitationRis"
ROLE_ARTICLE_METADATA = "ArticleMetadata"
ARTICLE_METADATA = ROLE_ARTICLE_METADATA  # the manual's other name for it
ROLE_FULL_TEXT_MOBILE = "FullTextMobile"
ROLE_FULL_TEXT_HTML_LANDING = "FullTextHtmlLanding"
ROLE_FULL_TEXT_PDF_LANDING = "FullTextPdfLanding"
ROLE_ISSUE_METADATA = "IssueMetadata"
ROLE_ARTICLE_HANDLE = "ArticleHandle"
ROLE_FIGURES_TABLES = "FiguresTables"  # deprecated by LOCKSS, in use by old plugins

PREDEFINED_ROLES = (
    ROLE_FULL_TEXT_HTML,
    ROLE_FULL_TEXT_PDF,
    ROLE_FULL_TEXT_EPUB,
    ROLE_FULL_TEXT_XML,
    ROLE_ABSTRACT,
    ROLE_REFERENCES,
    ROLE_FIGURES,
    ROLE_TABLES,
    ROLE_SUPPLEMENTARY_MATERIALS,
    ROLE_CITATION,
    ROLE_CITATION_BIBTEX,
    ROLE_CITATION_ENDNOTE,
    ROLE_CITATION_RIS,
    ROLE_ARTICLE_METADATA,
)

FULL_TEXT_PREFERENCE = (
    ROLE_FULL_TEXT_HTML,
    ROLE_FULL_TEXT_PDF,
    ROLE_FULL_TEXT_EPUB,
    ROLE_FULL_TEXT_XML,
)
"""The order in which full text is preferred where a plugin asks for it by `preferred` (L-12)."""


# Not watched by the cycle collector: millions of them live at once, and none refers to another.
class ArticleFiles(msgspec.Struct, gc=False):
    """One article: a full-text URL, or None, and a URL (or any other object) for each role.

    As JSON: `{"fullTextUrl": …, "roles": {role: URL}}`.
    """

    full_text_url: str | None = msgspec.field(default=None, name="fullTextUrl")
    roles: dict[str, object] = msgspec.field(default_factory=dict)

    def set_full_text_url(self, url: str | None) -> None:
        """Name the full text, or with None say that there is none."""
        self.full_text_url = url

    def set_role(self, role: str, value: object) -> None:
        """Give a role its URL; None takes the role away."""
        if value is None:
            self.roles.pop(role, None)
        else:
            self.roles[role] = value

    def role(self, role: str) -> object | None:
        """What the role holds, whatever it is; None if it is not set."""
        return self.roles.get(role)

    def role_string(self, role: str) -> str | None:
        """What the role holds as text; None if it is not set."""
        value = self.roles.get(role)

        return None if value is None else str(value)

    def role_url(self, role: str) -> str | None:
        """The URL of the role; None if it is not set or holds something else than text."""
        value = self.roles.get(role)

        return value if isinstance(value, str) else None

    @property
    def role_map(self) -> Mapping[str, object]:
        """All roles, to read and not to change."""
        return MappingProxyType(self.roles)

    def is_empty(self) -> bool:
        """True with neither full text nor roles."""
        return self.full_text_url is None and not self.roles
