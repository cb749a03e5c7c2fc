"""WordNet, read from the dictionary files of a WordNet 3 directory: index.*, data.* and *.exc.

A word's synonyms are the names, without multi-word ones, in all synsets of its base forms in every part of speech; the
base forms are those of Morphy as NLTK's `synsets` applies it. Names keep the dictionary's case.
Index and data are held as they are in the files; a synset is parsed when a word first needs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from fullmarks.errors import InputError
from fullmarks.lexicons.synonyms import fingerprint

_ADVICE = "Take all files from one WordNet release (Debian's package wordnet-base, or NLTK's wordnet corpus)"
PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
_ENDINGS = {
    "noun": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
_MARKER = re.compile(r"\([^()]*\)$")


@dataclass(frozen=True, repr=False)
class PartOfSpeech:
    """The files of one part of speech."""

    kind: str
    index: dict[str, str]
    exceptions: dict[str, list[str]]
    data: bytes

    def base_forms(self, word: str) -> list[str]:
        """Return the word and its possible base forms, those that the index has."""
        forms = self.exceptions.get(word)
        if forms is None:
            forms = [word[: -len(old)] + new for old, new in _ENDINGS[self.kind] if word.endswith(old)]
        return [form for form in dict.fromkeys([word, *forms]) if form in self.index]

    def names(self, form: str) -> list[str]:
        """Return all names in the synsets of a base form."""
        fields = self.index[form].split()
        return [name for offset in fields[-int(fields[1]) :] for name in self._synset(int(offset))]

    def _synset(self, offset: int) -> list[str]:
        fields = self.data[offset : self.data.index(b"\n", offset)].decode("utf-8").split()
        if int(fields[0]) != offset:
            raise ValueError(f"data.{self.kind} has no synset at {offset}")
        count = int(fields[3], 16)
        return [_MARKER.sub("", name) for name in fields[4 : 4 + 2 * count : 2]]


@dataclass(frozen=True, repr=False)
class WordNetLexicon:
    """A WordNet directory as a lexicon; each distinct word is looked up once."""

    name: str
    folder: str
    parts: tuple[PartOfSpeech, ...]
    _known: dict[str, frozenset[str]] = field(default_factory=dict, init=False, compare=False)

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the single-word names of all synsets of a word in any case, and the word itself."""
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = frozenset([word, *self._names(word.lower())])
        return known

    def _names(self, word: str) -> list[str]:
        try:
            names = [name for part in self.parts for form in part.base_forms(word) for name in part.names(form)]
        except (ValueError, IndexError) as error:
            raise InputError(
                self.folder, f"its index and data files do not fit together at {word!r} ({error})", _ADVICE
            ) from error
        return [name for name in names if "_" not in name]

    def __repr__(self) -> str:
        return f"WordNetLexicon({self.name!r}, {self.folder!r})"


def read_wordnet(folder: Path) -> WordNetLexicon:
    """Return the lexicon of a WordNet directory; a missing file is an InputError that names it."""
    names = [f"{stem}.{kind}" for kind in PARTS_OF_SPEECH for stem in ("index", "data")]
    names += [f"{kind}.exc" for kind in PARTS_OF_SPEECH]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise InputError(str(folder), f"is not a WordNet directory: {', '.join(missing)} not found", _ADVICE)
    parts = tuple(_read_part(folder, kind) for kind in PARTS_OF_SPEECH)
    return WordNetLexicon(f"wordnet:{fingerprint(*(folder / name for name in names))}", str(folder), parts)


def _read_part(folder: Path, kind: str) -> PartOfSpeech:
    index: dict[str, str] = {}
    for line in _lines(folder / f"index.{kind}"):
        if not line.startswith(" "):
            lemma, _, rest = line.partition(" ")
            index[lemma] = rest
    exceptions = {terms[0]: terms[1:] for line in _lines(folder / f"{kind}.exc") if (terms := line.split())}
    return PartOfSpeech(kind, index, exceptions, (folder / f"data.{kind}").read_bytes())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(str(path), f"is not UTF-8 text ({error})", _ADVICE) from error
