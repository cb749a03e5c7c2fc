"""Annotations in memory are read as those of a file are."""

from __future__ import annotations

import json

import pytest

from fullmarks.errors import FullmarksError
from fullmarks.readers.source import Source
from fullmarks.readers.vqa import read_annotations


def annotation(number: object, ids: list[object], **others: object) -> dict[str, object]:
    answers = [{"answer": f"a{at}", "answer_id": identifier} for at, identifier in enumerate(ids)]
    return {"question_id": number, "answers": answers, **others}


CASES = {
    "numbered alike": [annotation(1, [1, 2, 3], image_id=7), annotation("q2", [1, 2, 3], answer_type="other")],
    "numbered otherwise": [annotation(1, [1, 2]), annotation(2, [3, 4, 5])],
    "alike in a row, not in a question": [annotation(1, [1, 2]), annotation(2, [1]), annotation(3, [2, 1, 2])],
    "the same id twice": [annotation(1, [1, 1]), annotation(2, [1, 1])],
    "ids that are lists": [annotation(1, [[1], [2]])],
    "without ids": [{"question_id": 1, "answers": [{"answer": "a"}, {"answer": "a"}]}],
    "no annotator": [annotation(1, [])],
    "no question": [],
    "an id that is true": [annotation(True, [1])],
    "an answer that is a number": [{"question_id": 1, "answers": [{"answer": 5, "answer_id": 1}]}],
    "no answers": [{"question_id": 1}],
    "no object": [5],
}


@pytest.mark.parametrize("annotations", CASES.values(), ids=CASES)
def test_objects_are_read_as_files_are(annotations, tmp_path):
    path = tmp_path / "annotations.json"
    document = {"annotations": annotations}
    path.write_text(json.dumps(document), encoding="utf-8")

    def outcome(origin: object) -> object:
        try:
            return read_annotations(Source(origin, "gold"))
        except FullmarksError as error:
            return str(error).replace(str(path), "gold")

    assert outcome(document) == outcome(path)
