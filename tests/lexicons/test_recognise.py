"""Recognising lexicons by content; the JSON shape; errors that say what to do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fullmarks.errors import InputError, MissingDependencyError
from fullmarks.lexicons.recognise import open_lexicon
from fullmarks.lexicons.synonyms import NoSynonyms

ENTRIES = {
    "мужчина": [{"hypernyms": ["ЧЕЛОВЕК"], "derivations": ["МУЖСКОЙ"]}, {"hypernyms": ["ЛЮДИ"]}],
    "пусто": [],
}


def test_no_synonyms() -> None:
    assert NoSynonyms().synonyms("кот") == {"кот"}


def test_json_lexicon_joins_the_senses_in_lower_case(tmp_path: Path) -> None:
    path = tmp_path / "any-name"
    path.write_text(json.dumps(ENTRIES), encoding="utf-8-sig")
    lexicon = open_lexicon(path)
    assert lexicon.synonyms("мужчина") == {"мужчина", "человек", "мужской", "люди"}
    assert lexicon.synonyms("пусто") == {"пусто"}
    assert lexicon.synonyms("человек") == {"человек"}
    assert lexicon.name.startswith("json:")


def test_the_name_depends_on_the_content(tmp_path: Path) -> None:
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    one.write_text("{}")
    other.write_text('{"a": []}')
    assert open_lexicon(one).name != open_lexicon(other).name


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty; expected a RuWordNet database"),
        ("кот;кошка", "starts with"),
        ("{", "is not a JSON text"),
        ('{"a": {}}', "word 'a': holds a dict"),
        ('{"a": ["b"]}', "word 'a', sense 1: is a str"),
        ('{"a": [{"hypernyms": "b"}]}', "sense 1: 'hypernyms' is 'b'"),
        ('{"a": [{"derivations": [1]}]}', r"sense 1: 'derivations' is \[1\]"),
    ],
)
def test_bad_files(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "lexicon.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        open_lexicon(path)


def test_a_missing_lexicon_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(MissingDependencyError, match=r"ruwordnet download.*wordnet-base.*--synonyms none"):
        open_lexicon(tmp_path / "nothing")


def test_a_directory_without_wordnet(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a WordNet directory: index\.noun"):
        open_lexicon(tmp_path)


def test_another_database_and_a_damaged_one(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE sense (id TEXT, name TEXT)")
        database.commit()
    with pytest.raises(InputError, match="table 'sense' lacks the columns lemma, synset_id"):
        open_lexicon(path)
    path.write_bytes(path.read_bytes()[:40] + b"\x00" * 4000)
    with pytest.raises(InputError, match="cannot be read as an SQLite database"):
        open_lexicon(path)
