"""RuWordNet, read once from the SQLite database of the `ruwordnet` package into a dictionary.

A word's synonyms here are, for each of its senses, the titles of the synset's hypernyms and the names of the sense's
derivations: what the FusionBrain contest takes for synonyms. Words are looked up by the database's lemma column.
The database is opened read-only, with the standard library; the package itself is not needed.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from fullmarks.errors import InputError
from fullmarks.lexicons.synonyms import TableLexicon, collect, fingerprint

_ADVICE = "Get RuWordNet's database with: pip install ruwordnet && ruwordnet download"
COLUMNS = {
    "sense": {"id", "name", "lemma", "synset_id"},
    "synset": {"id", "title"},
    "hypernym_relation": {"hyponym_id", "hypernym_id"},
    "derivation_relation": {"source_id", "derivative_id"},
}
_HYPERNYMS = """
    SELECT sense.lemma, hypernym.title
    FROM sense
    JOIN hypernym_relation AS relation ON relation.hyponym_id = sense.synset_id
    JOIN synset AS hypernym ON hypernym.id = relation.hypernym_id
    WHERE sense.lemma IS NOT NULL AND hypernym.title IS NOT NULL
"""
_DERIVATIONS = """
    SELECT sense.lemma, derivative.name
    FROM sense
    JOIN derivation_relation AS relation ON relation.source_id = sense.id
    JOIN sense AS derivative ON derivative.id = relation.derivative_id
    WHERE sense.lemma IS NOT NULL AND derivative.name IS NOT NULL
"""


def read_ruwordnet(path: Path) -> TableLexicon:
    """Return the lexicon of a RuWordNet database; another database or a damaged one is an InputError."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            _check_tables(path, database)
            pairs = [row for query in (_HYPERNYMS, _DERIVATIONS) for row in database.execute(query)]
    except sqlite3.Error as error:
        raise InputError(str(path), f"cannot be read as an SQLite database ({error})", _ADVICE) from error
    return TableLexicon(f"ruwordnet:{fingerprint(path)}", collect(pairs))


def _check_tables(path: Path, database: sqlite3.Connection) -> None:
    for table, columns in COLUMNS.items():
        found = {row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
        if not columns <= found:
            missing = ", ".join(sorted(columns - found))
            raise InputError(
                str(path), f"is not a RuWordNet database: table {table!r} lacks the columns {missing}", _ADVICE
            )
