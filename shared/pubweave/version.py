"""Who we are: name, address and version, from this one place (F-LIB-03)."""

from typing import Final

NAME: Final = "Pubweave"
URL: Final = "https://pubweave.example"
"""A reserved name (RFC 2606) until the project has a public home; a wrong one would be somebody else's."""
VERSION: Final = "0.2.0.dev0"
"""The version in pyproject.toml; a test keeps them equal."""

IDENTIFICATION: Final = f"{NAME} {VERSION}"
"""The provenance of identifiers that a user typed (F-ID-21)."""
