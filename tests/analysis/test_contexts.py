"""Paragraphs from gold files of several forms: each once, with the places of answers that really stand there."""

from __future__ import annotations

import gzip
import json

import pytest

import fullmarks
from fullmarks.analysis import contexts
from fullmarks.analysis.contexts import contexts_of_column, read_contexts
from fullmarks.errors import InputError, UsageError

TEXT = "The 🌊 river Aare flows through Bern."
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Aare",
            "paragraphs": [
                {
                    "context": TEXT,
                    "qas": [
                        {
                            "id": "a",
                            "question": "Which river?",
                            "answers": [
                                {"text": "Aare", "answer_start": 12},
                                {"text": "river Aare", "answer_start": 6},
                                {"text": "Aare", "answer_start": 12},
                                {"text": "Aare", "answer_start": 13},
                            ],
                        },
                        {"id": "b", "question": "Which sea?", "is_impossible": True, "answers": []},
                    ],
                },
                {"context": "Another one.", "qas": [{"id": "c", "question": "?", "answers": []}]},
            ],
        }
    ],
}


def test_squad_paragraphs_are_kept_once_with_their_marks(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(SQUAD), encoding="utf-8")
    found = read_contexts(path, ["c", "a", "b", "elsewhere"])
    assert found.texts == ["Another one.", TEXT]
    assert found.of_example == [0, 1, 1, None]
    assert found.marks == [[], [(6, 10), (12, 4)], [], []]  # 13 is no place of these words
    assert TEXT[6:16] == "river Aare"


def test_compressed_files_and_plain_objects(tmp_path):
    path = tmp_path / "gold.json.gz"
    path.write_bytes(gzip.compress(json.dumps(SQUAD).encode()))
    assert read_contexts(path, ["a"]) == read_contexts(SQUAD, ["a"])


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_flat_records(tmp_path, ending):
    records = [
        {"id": "1", "context": TEXT, "answers": {"text": ["Bern"], "answer_start": [TEXT.index("Bern")]}},
        {"id": "2", "context": TEXT, "answers": {"text": [], "answer_start": []}},
    ]
    lines = "\n".join(map(json.dumps, records))
    path = tmp_path / f"gold.{ending}"
    path.write_text(lines if ending == "jsonl" else json.dumps(records))
    found = read_contexts(path, ["1", "2"])
    assert found.texts == [TEXT]
    assert found.marks == [[(31, 4)], []]


def test_tables(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text(f"id,question,context\n1,Where?,{TEXT}\n2,Which?,{TEXT}\n", encoding="utf-8")
    found = read_contexts(path, ["2", "1"])
    assert (found.texts, found.of_example, found.marks) == ([TEXT], [0, 0], [[], []])


def test_drop_and_hotpotqa():
    drop = {"nfl_1": {"passage": TEXT, "qa_pairs": [{"query_id": "x", "question": "?", "answer": {"spans": ["Bern"]}}]}}
    assert read_contexts(drop, ["x"]).texts == [TEXT]
    hotpot = [
        {"_id": "h", "question": "?", "context": [["Aare", ["It flows.", " It is long."]], ["Bern", ["A town."]]]}
    ]
    assert read_contexts(hotpot, ["h"]).texts == ["Aare: It flows. It is long.\n\nBern: A town."]


def test_numbers_as_ids_and_odd_values():
    odd = [
        {"id": 7, "context": TEXT, "answers": [{"text": "Bern", "answer_start": True}, 3, {"text": None}]},
        {"id": 8, "context": 5},
        {"id": [1], "context": TEXT},
        {"id": 9, "context": TEXT, "answers": {"text": "Bern", "answer_start": 3}},
    ]
    found = read_contexts(odd, [7, 8, 9])
    assert found.of_example == [0, None, 0]
    assert found.marks == [[], [], []]


def test_deeply_nested_files_do_not_end_the_program():
    nested = {"id": "1", "context": TEXT}
    for _ in range(100_000):
        nested = [nested]
    assert read_contexts(nested, ["1"]).texts == [TEXT]
    while isinstance(nested, list):  # so that freeing it does not recurse
        nested = nested[0]


def test_a_file_without_these_questions_is_an_error(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(SQUAD))
    with pytest.raises(InputError, match=r"no question of the runs has a paragraph in it \(their first ids: 'z'\)"):
        read_contexts(path, ["z"])
    path.write_text("{")
    with pytest.raises(InputError, match="not valid JSON"):
        read_contexts(path, ["a"])
    with pytest.raises(InputError, match="no such file"):
        read_contexts(tmp_path / "absent.json", ["a"])


def test_too_much_for_a_page(monkeypatch):
    monkeypatch.setattr(contexts, "MOST_CHARACTERS", 40)
    with pytest.raises(UsageError, match="the paragraphs have 48 characters together, too many for one page"):
        read_contexts(SQUAD, ["a", "c"])
    assert read_contexts(SQUAD, ["a", "b"]).texts == [TEXT]


def test_a_column_of_the_runs():
    found = contexts_of_column([TEXT, None, TEXT, ""])
    assert (found.texts, found.of_example) == ([TEXT], [0, None, 0, None])


def test_every_answer_of_squad_has_its_place(real_data):
    folder = real_data / "squad"
    run = fullmarks.score("squad2", folder / "dev-v2.0.json", folder / "bert.json")
    examples = run.tally.examples
    found = read_contexts(folder / "dev-v2.0.json", examples.ids)
    assert len(found.texts) == 1_204
    for place, marks, references in zip(found.of_example, found.marks, examples.references, strict=True):
        text = found.texts[place]
        assert {text[start : start + length] for start, length in marks} == set(references)
