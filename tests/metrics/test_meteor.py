"""METEOR as a metric: the contest's captions, a lexicon that changes, options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import MissingDependencyError, UsageError


def test_the_contests_captions(golden_files: Path) -> None:
    pytest.importorskip("razdel", reason="needs razdel: make install")
    folder = golden_files / "fusionbrain_meteor"
    gold = json.loads((folder / "captioning_gt.json").read_text(encoding="utf-8"))
    given = json.loads((folder / "captioning_pred.json").read_text(encoding="utf-8"))

    def first(elements: Any) -> Any:
        listed = elements if isinstance(elements, list) else [elements]
        return next(element["content"] for element in listed if element["type"] == "text")

    lexicon = str(folder / "lexicon.json")
    metric = fullmarks.load("meteor", tokens="caption", stemmer="russian", lexicon=lexicon)
    each = metric.each(predictions=[first(given[key]) for key in gold], references=[first(gold[key]) for key in gold])
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert each == pytest.approx(expected["captioning_per_example"], rel=0, abs=1e-12)
    assert "|lexicon:json:8e5e77bf|" in metric.signature(400)


def test_a_changed_lexicon_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.json"
    metric = fullmarks.load("meteor", lexicon=str(path), gamma=0.0)
    for names, value in (([], 0.0), (["pet"], 1.0)):
        path.write_text(json.dumps({"cat": [{"hypernyms": names, "derivations": []}]}))
        assert metric.each(predictions=["cat"], references=["pet"]) == [value]


def test_options_are_checked() -> None:
    with pytest.raises(UsageError, match="tokens must be one of 'blank', 'caption'"):
        fullmarks.load("meteor", tokens="words")
    with pytest.raises(UsageError, match="unknown stemmer 'portre'"):
        fullmarks.load("meteor", stemmer="portre", lexicon="none").each(predictions=["a"], references=["b"])
    with pytest.raises(MissingDependencyError, match="lexicon=PATH"):
        fullmarks.load("meteor").each(predictions=["a"], references=["b"])
