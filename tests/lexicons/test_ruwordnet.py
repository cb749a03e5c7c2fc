"""RuWordNet: a small database with the published schema, and the same through the ruwordnet package."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fullmarks.lexicons.recognise import open_lexicon

SCHEMA = """
CREATE TABLE synset (id VARCHAR PRIMARY KEY, title VARCHAR, definition VARCHAR, part_of_speech VARCHAR);
CREATE TABLE sense (id VARCHAR PRIMARY KEY, name VARCHAR, lemma VARCHAR, synset_id VARCHAR);
CREATE TABLE hypernym_relation (hyponym_id VARCHAR, hypernym_id VARCHAR, PRIMARY KEY (hyponym_id, hypernym_id));
CREATE TABLE derivation_relation (source_id VARCHAR, derivative_id VARCHAR,
                                  PRIMARY KEY (source_id, derivative_id));
"""
SYNSETS = [("1", "СОБАКА"), ("2", "ЖИВОТНОЕ"), ("3", "ДРУГ"), ("4", "ТРАНСПОРТНОЕ СРЕДСТВО"), ("5", None)]
SENSES = [
    ("a", "СОБАКА", "СОБАКА", "1"),
    ("b", "СОБАКИ", "СОБАКА", "3"),
    ("c", "СОБАЧИЙ", "СОБАЧИЙ", "2"),
    ("d", "ТРАНСПОРТ", "ТРАНСПОРТ", "1"),
    ("e", "СИРОТА", "СИРОТА", None),
    ("f", None, None, "1"),
]
HYPERNYMS = [("1", "2"), ("3", "4"), ("1", "5")]
DERIVATIONS = [("a", "c"), ("e", "d"), ("d", "f")]
EXPECTED = {
    "собака": {"собака", "животное", "транспортное средство", "собачий"},
    "СОБАКА": {"СОБАКА", "животное", "транспортное средство", "собачий"},
    "собаки": {"собаки"},
    "транспорт": {"транспорт", "животное"},
    "сирота": {"сирота", "транспорт"},
    "неизвестно": {"неизвестно"},
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "база данных #1.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO synset (id, title) VALUES (?, ?)", SYNSETS)
        connection.executemany("INSERT INTO sense VALUES (?, ?, ?, ?)", SENSES)
        connection.executemany("INSERT INTO hypernym_relation VALUES (?, ?)", HYPERNYMS)
        connection.executemany("INSERT INTO derivation_relation VALUES (?, ?)", DERIVATIONS)
        connection.commit()
    return path


@pytest.mark.parametrize(("word", "synonyms"), EXPECTED.items())
def test_hypernym_titles_and_derivation_names(database: Path, word: str, synonyms: set[str]) -> None:
    lexicon = open_lexicon(database)
    assert lexicon.synonyms(word) == synonyms
    assert lexicon.name.startswith("ruwordnet:")


@pytest.mark.filterwarnings("ignore")  # the package's SQLAlchemy 1.4 warns of its own future
def test_equals_the_package(database: Path) -> None:
    package = pytest.importorskip("ruwordnet", reason="needs ruwordnet: make install", exc_type=ImportError)
    reader = package.RuWordNet(filename_or_session=str(database))
    lexicon = open_lexicon(database)
    for word in EXPECTED:
        senses = reader.get_senses(word)
        titles = {item.title for sense in senses if sense.synset for item in sense.synset.hypernyms}
        names = {item.name for sense in senses for item in sense.derivations}
        assert lexicon.synonyms(word) == {word} | {name.lower() for name in (titles | names) - {None}}
    reader.session.get_bind().dispose()
