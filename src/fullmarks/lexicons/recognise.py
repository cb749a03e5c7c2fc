"""Opens a synonym lexicon by what a path holds: a RuWordNet database, a WordNet directory or a JSON lexicon."""

from __future__ import annotations

import os
from pathlib import Path

from fullmarks.checks import check_local
from fullmarks.errors import InputError, MissingDependencyError
from fullmarks.lexicons.json_lexicon import read_json_lexicon
from fullmarks.lexicons.ruwordnet import read_ruwordnet
from fullmarks.lexicons.synonyms import Lexicon
from fullmarks.lexicons.wordnet import read_wordnet

_SQLITE = b"SQLite format 3\x00"
HOW_TO_GET = (
    "For Russian: pip install ruwordnet && ruwordnet download, then give its ruwordnet.db. "
    "For English: the directory of Debian's package wordnet-base (/usr/share/wordnet) or of NLTK's wordnet corpus. "
    "Or score without synonyms: --synonyms none"
)


def open_lexicon(path: str | os.PathLike[str]) -> Lexicon:
    """Return the lexicon that a path holds; the kind is seen from the content, not from the name."""
    check_local("a synonym lexicon", path)
    place = Path(path)
    if place.is_dir():
        return read_wordnet(place)
    if not place.is_file():
        raise MissingDependencyError(f"{place}: no such synonym lexicon. {HOW_TO_GET}")
    with place.open("rb") as file:
        head = file.read(64)
    if head.startswith(_SQLITE):
        return read_ruwordnet(place)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{":
        return read_json_lexicon(place)
    found = f"starts with {head[:8]!r}" if head else "is empty"
    raise InputError(
        str(place),
        f"{found}; expected a RuWordNet database (SQLite), a WordNet directory or a JSON lexicon",
        HOW_TO_GET,
    )
