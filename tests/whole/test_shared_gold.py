"""Several systems against one gold: it is read once, and each has the result that it has alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import MissingDependencyError
from fullmarks.evaluate import score_all
from fullmarks.protocols.sample import read_sample, sample_folder, sample_names
from fullmarks.readers import squad
from fullmarks.readers.source import Source
from fullmarks.types import Examples


def told(result: fullmarks.Result) -> Any:
    """All that a result holds, as plain data."""
    examples: Examples = result.tally.examples
    columns = [examples.columns, examples.parts, examples.facts]
    texts = [list(examples.ids), examples.predictions, examples.references, columns, examples.unanswered]
    return json.loads(json.dumps([result.to_dict(), [list(rows) for rows in result.tally.rows], texts], default=repr))


IN_TWO_FILES = [name for name in sample_names() if read_sample(name).arguments(sample_folder(name))[1] is not None]


@pytest.mark.parametrize("name", IN_TWO_FILES)
def test_every_system_has_the_result_that_it_has_alone(name: str) -> None:
    sample, folder = read_sample(name), sample_folder(name)
    gold, predictions = sample.arguments(folder)
    options = sample.keywords(folder)
    try:
        alone = told(fullmarks.score(name, gold, predictions, by=sample.by, **options))
    except MissingDependencyError as error:
        pytest.skip(str(error))
    together = score_all(name, gold, dict.fromkeys(("one", "two", "three"), predictions), by=sample.by, **options)
    assert list(together) == ["one", "two", "three"]
    for result in together.values():
        assert told(result) == alone


GOLD = {
    "data": [
        {"title": "t", "paragraphs": [{"qas": [{"id": "a", "answers": [{"text": "cat"}]}, {"id": "b", "answers": []}]}]}
    ]
}


def test_the_gold_is_decoded_once_for_all_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gold.json").write_text(json.dumps(GOLD))
    read = []
    document = squad.read_document
    monkeypatch.setattr(squad, "read_document", lambda source, *rest: read.append(1) or document(source, *rest))
    answers = {"one": {"a": "cat", "b": ""}, "two": {"a": "dog", "b": ""}}
    found = score_all("squad2", tmp_path / "gold.json", answers)
    assert [result.official["exact"] for result in found.values()] == [100.0, 50.0]
    assert len(read) == 1


def test_what_a_system_does_to_its_gold_is_not_seen_by_the_next() -> None:
    """Skipped questions, limits and columns that are left out are of one system alone."""
    answers = {"one": {"a": "cat"}, "two": {"a": "cat", "b": "x"}}
    found = score_all("squad2", GOLD, answers, on_missing="skip")
    assert [result.n for result in found.values()] == [1, 2]
    found["one"].tally.examples.columns["title"][0] = "changed"
    found["one"].tally.examples.references[0] = ["changed"]
    assert found["two"].tally.examples.columns["title"] == ["t", "t"]
    assert found["two"].tally.examples.references == [["cat"], []]


def test_what_reading_the_gold_notes_stands_in_every_audit(tmp_path: Path) -> None:
    rows = [{"id": "a", "references": ["x", 1]}, {"id": "b", "references": ["y"]}]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)))
    answers = [{"id": "a", "prediction": "x"}, {"id": "b", "prediction": "y"}]
    gold = Source(tmp_path / "gold.jsonl", "gold").shared()
    for _ in range(2):
        with pytest.raises(fullmarks.InputError, match="references that are not strings: 1"):
            fullmarks.score("qa", gold, answers)
