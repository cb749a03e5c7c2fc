"""Samples one by one and as a whole: the numbers of `fullmarks.score`, and what is said where something is wrong."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import fullmarks
from fullmarks.adapters.lmms_eval import official, process_results_for
from fullmarks.adapters.sample_score import official_numbers
from fullmarks.adapters.samples import rules_named, sample_of
from fullmarks.errors import InputError, UsageError
from tests.adapters.answered import answers, flat

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = sorted(path for path in (DOCS / "examples").rglob("*") if path.suffix in (".py", ".yaml"))
PREDICTIONS, GOLDS = answers(120)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DOCS)))
def test_the_page_shows_the_examples_that_are_run(path: Path) -> None:
    assert f"\n{path.read_text(encoding='utf-8')}```" in (DOCS / "harnesses.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["squad1", "triviaqa", "qa", "docvqa", "hotpotqa", "drop", "vqa", "stvqa"])
def test_the_whole_has_the_official_numbers(name: str) -> None:
    golds = [gold or ["old tower"] for gold in GOLDS]
    pairs = zip(PREDICTIONS, golds, strict=True)
    rows = [{"id": at, "prediction": text, "references": gold} for at, (text, gold) in enumerate(pairs)]
    result = fullmarks.score(name, rows)
    rules = rules_named(name)
    found = rules.numbers([sample_of(row["prediction"], row["references"], identifier=row["id"]) for row in rows])
    expected = flat(result.official)
    assert {key: found[key] for key in expected} == expected
    for score, value in result.scores.items():
        assert found[score] == pytest.approx(result.scale * value, abs=5e-4 * result.scale)
    alone, record = rules.judge(sample_of(PREDICTIONS[3], golds[3])).scores, result.per_example[3]
    shared = alone.keys() & record.keys()
    assert shared
    assert {key: alone[key] for key in shared} == {key: record[key] for key in shared}


def test_an_empty_target_is_a_question_without_answer() -> None:
    rules = rules_named("squad2")
    found = rules.numbers([sample_of("", ""), sample_of("x", [""]), sample_of("y", ["y", ""]), sample_of("z", [])])
    assert (found["NoAns_total"], found["NoAns_f1"], found["HasAns_total"]) == (3, 100 / 3, 1)
    assert rules_named("exact_match").numbers([sample_of("", "")]) == {"exact_match": 1.0}


def test_ids_need_not_be_unique() -> None:
    samples = [sample_of("x", "x", identifier=1), sample_of("y", "x", identifier=1)]
    assert rules_named("squad1").numbers(samples)["f1"] == 50.0


def test_metrics_take_extraction_too() -> None:
    rules = rules_named("exact_match", {"extract": "final-answer"})
    judged = rules.judge(sample_of("Well.\nAnswer: cat", ["cat"]))
    assert (judged.scores, judged.answer) == ({"exact_match": 1.0}, "cat")


def test_scores_are_plain_numbers_that_pickle() -> None:
    process = process_results_for("squad2", references="golds", columns="title", scores=["f1", "HasAns_f1"])
    made = [
        process({"golds": gold, "title": "t"}, [text])
        for text, gold in [("a cat", ["cat"]), ("", []), ("dog", ["cat dog"])]
    ]
    assert made[0]["f1"] == 1.0
    assert "HasAns_f1" not in made[1]
    again = pickle.loads(pickle.dumps([each["f1"] for each in made]))
    assert official(again) == official_numbers(again)["f1"] == 100 * (1 + 1 + 2 / 3) / 3
    assert official_numbers([]) == {}


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UsageError, match="fid compares two whole sets"):
        rules_named("fid")
    with pytest.raises(UsageError, match="longbench reads nothing but its own files"):
        rules_named("longbench")
    with pytest.raises(UsageError, match="must not be called id"):
        sample_of("x", "y", columns={"id": 3})
    with pytest.raises(InputError, match="expected a text or a list of texts, found int"):
        sample_of("x", 3)
    with pytest.raises(UsageError, match="expected one text per question, found nothing"):
        process_results_for("squad2", references="golds")({"golds": []}, [])


@pytest.mark.parametrize(
    ("module", "package", "install"),
    [
        ("lm_eval", "lm_eval", "lm-eval"),
        ("inspect_ai", "inspect_ai", "inspect-ai"),
        ("lighteval", "lighteval", "lighteval"),
    ],
)
def test_a_tool_that_is_absent_is_named(module: str, package: str, install: str) -> None:
    code = f"import sys; sys.modules['{package}'] = None\nfrom fullmarks.adapters import {module} as m\n"
    code += "m.metric('squad2')\n" if module == "lighteval" else ""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1].endswith(f"which is not installed: pip install {install}")
    assert "MissingDependencyError" in run.stderr
