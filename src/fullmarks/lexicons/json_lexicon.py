"""A lexicon in one JSON file: {word: [{"hypernyms": [titles], "derivations": [names]}, ...one per sense]}."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from fullmarks.errors import InputError
from fullmarks.lexicons.synonyms import TableLexicon, collect, fingerprint

SHAPE = 'Expected {word: [{"hypernyms": [...], "derivations": [...]}, ...]}, both lists of strings'


def read_json_lexicon(path: Path) -> TableLexicon:
    """Return the lexicon of a JSON file; a word's synonyms are all its senses' hypernyms and derivations."""
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(str(path), f"is not a JSON text in UTF-8 ({error})", SHAPE) from error
    if not isinstance(content, dict):
        raise InputError(str(path), f"holds a {type(content).__name__}", SHAPE)
    table = collect(pair for word, senses in content.items() for pair in _pairs(path, word, senses))
    return TableLexicon(f"json:{fingerprint(path)}", table)


def _pairs(path: Path, word: str, senses: object) -> Iterator[tuple[str, str]]:
    if not isinstance(senses, list):
        raise InputError(f"{path}, word {word!r}", f"holds a {type(senses).__name__}", SHAPE)
    for number, sense in enumerate(senses, start=1):
        if not isinstance(sense, dict):
            raise InputError(f"{path}, word {word!r}, sense {number}", f"is a {type(sense).__name__}", SHAPE)
        for key in ("hypernyms", "derivations"):
            names = sense.get(key, [])
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise InputError(f"{path}, word {word!r}, sense {number}", f"{key!r} is {names!r}", SHAPE)
            for name in names:
                yield word, name
