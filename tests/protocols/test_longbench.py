"""LongBench: the published program's digits by data set and by length, what is refused; the rule and a plain one."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.longbench.metric import LongbenchF1
from fullmarks.protocols.longbench.rules import CHINESE_PUNCTUATION, OTHER_TASKS, TASKS, judge
from fullmarks.testing import TOLERANCE, assert_official
from fullmarks.types import Examples
from tests.hard_texts import hard_text


def expected(golden_files: Path, file: str = "expected.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((golden_files / "longbench" / file).read_text(encoding="utf-8"))
    return found


def write(folder: Path, task: str, *records: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{task}.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def record(prediction: str, *answers: str, **more: Any) -> dict[str, Any]:
    return {"pred": prediction, "answers": list(answers), "all_classes": None, **more}


@pytest.mark.parametrize("name", ["main", "e"])
def test_every_run_of_the_published_program(golden_files: Path, name: str) -> None:
    pytest.importorskip("jieba", reason="needs jieba: make install")
    run = expected(golden_files)["runs"][name]
    result = assert_official(
        "longbench", golden_files / "longbench" / run["folder"], None, run["official"], e=name == "e"
    )
    if "unrounded" in run:
        found = {task: 100 * scores["f1"] for task, scores in result.by("task").items()}
        assert found == pytest.approx(run["unrounded"], abs=1e-11)  # numbers near 100: their last digit is 1.4e-14


def test_every_question_of_the_published_program(golden_files: Path) -> None:
    pytest.importorskip("jieba", reason="needs jieba: make install")
    wanted = expected(golden_files)["per_question"]
    result = fullmarks.score("longbench", golden_files / "longbench" / "pred")
    found = {str(each["id"]): each["f1"] for each in result.per_example}
    assert found.keys() == wanted.keys()
    assert found == pytest.approx({name: scores["score"] for name, scores in wanted.items()}, abs=TOLERANCE)


@pytest.mark.parametrize(("file", "task"), [("answers.json", "hotpotqa"), ("answers_zh.json", "multifieldqa_zh")])
def test_every_single_case_of_the_published_program(golden_files: Path, file: str, task: str) -> None:
    if task == "multifieldqa_zh":
        pytest.importorskip("jieba", reason="needs jieba: make install")
    cases = expected(golden_files, file)["cases"]
    predictions, golds = [case["prediction"] for case in cases], [case["golds"] for case in cases]
    rows = LongbenchF1().rows(Examples(range(len(cases)), predictions, golds, {"task": [task] * len(cases)}))
    assert list(rows) == pytest.approx([case["f1"] for case in cases], abs=TOLERANCE)
    assert [judge(task, *pair).f1 for pair in zip(predictions, golds, strict=True)] == list(rows)


def plain_first_line(prediction: str) -> str:
    while prediction[:1] == "\n":
        prediction = prediction[1:]
    return prediction[: prediction.index("\n")] if "\n" in prediction else prediction


@pytest.mark.parametrize("count", [2_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_the_fast_rule_is_the_plain_one(count: int) -> None:
    source = random.Random(11)
    pool = [hard_text(source)[:24] for _ in range(4_000)]
    predictions, golds, tasks = [], [], []
    for _ in range(count):
        parts = source.choices((source.choice(pool), source.choice(pool), "\n", "", "x"), k=3)
        predictions.append("".join(parts))
        golds.append([source.choice((*parts, source.choice(pool))) for _ in range(source.choice((0, 1, 2, 3)))])
        tasks.append(source.choice(("triviaqa", "triviaqa", "hotpotqa", "qasper")))
    rows = LongbenchF1().rows(Examples(range(count), predictions, golds, {"task": tasks}))
    for at, (task, prediction, answers) in enumerate(zip(tasks, predictions, golds, strict=True)):
        told = judge(task, prediction, answers)
        assert told.counted == (plain_first_line(prediction) if task == "triviaqa" else prediction)
        assert rows[at] == told.f1, (task, prediction, answers)


# Confirmed with LongBench/eval.py of THUDM/LongBench at 2e00731f, Python 3.11.7.
@pytest.mark.parametrize(
    ("task", "prediction", "answers", "score"),
    [
        ("hotpotqa", "x\ny", ["x"], 66.67),
        ("triviaqa", "x\ny", ["x"], 100.0),
        ("triviaqa", " \nx", ["x"], 0.0),
        ("hotpotqa", "", ["the"], 0.0),
        ("hotpotqa", "x", [], 0.0),
        ("hotpotqa", "yes it is", ["yes"], 50.0),
        ("multifieldqa_zh", "北京大学。", ["北京 大学"], 0.0),
    ],
)
def test_tiny_inputs(tmp_path: Path, task: str, prediction: str, answers: list[str], score: float) -> None:
    if task == "multifieldqa_zh":
        pytest.importorskip("jieba", reason="needs jieba: make install")
    write(tmp_path, task, record(prediction, *answers))
    result = fullmarks.score("longbench", tmp_path)
    assert result.official == {task: score}
    assert bool(result.audit.at_level("warning")) == (answers == [])


def test_classes_of_length_and_an_empty_one(tmp_path: Path) -> None:
    rows = [record("x", "x", length=3999), record("y", "x", length=4000)]
    write(tmp_path, "hotpotqa", *rows)
    official = fullmarks.score("longbench", tmp_path, e=True).official
    assert (official["hotpotqa"]["0-4k"], official["hotpotqa"]["4-8k"]) == (100.0, 0.0)
    assert math.isnan(official["hotpotqa"]["8k+"])
    write(tmp_path, "hotpotqa", rows[0], record("x", "x"))
    with pytest.raises(fullmarks.InputError, match=r"record 2: 'length' must be a number, found null\. LongBench-E"):
        fullmarks.score("longbench", tmp_path, e=True)


def test_means_by_length_round_as_numpy_does(tmp_path: Path) -> None:
    """227.5 of 400 are 56.875, 5 of 800 are 0.625: both exact, and rounded to an even last digit."""
    rows = [record("x", "x", length=1)] * 227 + [record("x y", "x z", length=1)] + [record("y", "x", length=1)] * 172
    write(tmp_path, "hotpotqa", *rows)
    assert fullmarks.score("longbench", tmp_path, e=True).official["hotpotqa"]["0-4k"] == 56.88
    rows = [record("x", "x", length=1)] * 5 + [record("y", "x", length=1)] * 795
    write(tmp_path, "hotpotqa", *rows)
    assert fullmarks.score("longbench", tmp_path, e=True).official["hotpotqa"]["0-4k"] == 0.62
    assert fullmarks.score("longbench", tmp_path).official["hotpotqa"] == round(100 * 5 / 800, 2)


@pytest.mark.parametrize("task", sorted(OTHER_TASKS))
def test_other_data_sets_are_refused_by_name(tmp_path: Path, task: str) -> None:
    write(tmp_path, task, record("x", "x"))
    write(tmp_path, "hotpotqa", record("x", "x"))
    with pytest.raises(fullmarks.InputError, match=rf"{task}\.jsonl: the data set '{task}' is scored by "):
        fullmarks.score("longbench", tmp_path)
    with pytest.raises(fullmarks.InputError, match=rf"task: the data set '{task}' is scored by "):
        fullmarks.score("longbench", tmp_path, task=task)
    assert fullmarks.score("longbench", tmp_path, task="hotpotqa").official == {"hotpotqa": 100.0}


def test_all_of_longbench_is_known_by_name() -> None:
    assert len(TASKS) + len(OTHER_TASKS) == 21


def test_what_else_is_refused(tmp_path: Path) -> None:
    good = tmp_path / "good"
    write(good, "hotpotqa", record("x", "x"))
    (good / "result.json").write_text("{}")
    with pytest.raises(fullmarks.UsageError, match="leave PREDICTIONS out"):
        fullmarks.score("longbench", good, {"a": "x"})
    with pytest.raises(fullmarks.InputError, match=r"there is no data set 'qasper'; it has hotpotqa"):
        fullmarks.score("longbench", good, task="qasper")
    for name in ("hotpotqa_e", "squad"):
        path = write(tmp_path / name, name, record("x", "x"))
        with pytest.raises(fullmarks.InputError, match=f"'{name}' is no data set of LongBench"):
            fullmarks.score("longbench", path)
    for text, message in (
        ("", "there is no record in it"),
        ('{"answers": []}', "the field 'pred' is missing"),
        ('{"pred": 1, "answers": []}', "'pred' must be a text, found a number"),
        ('{"pred": "x", "answers": 5}', "'answers' must be a list of texts, found a number"),
    ):
        (good / "hotpotqa.jsonl").write_text(text)
        with pytest.raises(fullmarks.InputError, match=message):
            fullmarks.score("longbench", good)
    with pytest.raises(fullmarks.InputError, match=r"there is no \.jsonl file in it"):
        fullmarks.score("longbench", tmp_path)
    (good / "hotpotqa.old.jsonl").write_text("")
    with pytest.raises(fullmarks.InputError, match="two files of the data set 'hotpotqa'"):
        fullmarks.score("longbench", good)


def test_a_folder_a_file_and_objects_are_the_same(tmp_path: Path) -> None:
    rows = [record("x", "x"), record("x y", "x")]
    path = write(tmp_path, "musique", *rows)
    other = path.rename(tmp_path / "mine.jsonl")
    wanted = {"musique": 83.33}
    assert fullmarks.score("longbench", other, task="musique").official == wanted
    assert fullmarks.score("longbench", rows, task="musique").official == wanted
    assert fullmarks.score("longbench", {"musique": rows}).official == wanted
    assert fullmarks.score("longbench", {"musique": rows, "hotpotqa": rows}, limit=3).official == {
        "hotpotqa": 83.33,
        "musique": 100.0,
    }
    with pytest.raises(fullmarks.UsageError, match="the data set cannot be told"):
        fullmarks.score("longbench", rows)


def test_the_harness_cuts_at_the_first_line_feed() -> None:
    rows = [record("\nx\ny", "x")]
    (rule,) = fullmarks.crosscheck("longbench", {"triviaqa": rows}).rules
    assert (rule.name, rule.scores, len(rule.differing)) == ("lm-eval", {"f1": 0.0}, 1)
    why = fullmarks.explain("longbench", {"triviaqa": rows}, id="triviaqa:0")
    assert (why.scores, why.facts["counted"]) == ({"f1": 1.0}, "x")


# The list in metrics.py of THUDM/LongBench at f6227eb7, an earlier commit than the one scored with, by code points.
def test_chinese_punctuation_is_the_published_list() -> None:
    ranges = ((0xFF01, 0xFF0D), (0xFF0F, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF64))
    wide = {chr(code) for first, last in ranges for code in range(first, last + 1)}
    marks = {chr(code) for code in (0x2013, 0x2014, *range(0x2018, 0x2020), 0x2026, 0x2027, 0xFE4F, 0x2E)} - {"\u201a"}
    cjk = {chr(code) for code in (0x3001, 0x3002, 0x3003, 0x300B, *range(0x300C, 0x3012), *range(0x3014, 0x3020))}
    cjk |= {"\u3030", "\u303e", "\u303f"}
    assert set(CHINESE_PUNCTUATION) == wide | marks | cjk


def test_answers_that_are_a_text_are_its_characters() -> None:
    """The published program takes the maximum over the items of `answers`."""
    records = [{"pred": "y", "answers": "xyz", "all_classes": None}, {"pred": "xyz", "answers": "xyz"}]
    result = fullmarks.score("longbench", {"hotpotqa": records})
    assert result.official == {"hotpotqa": 50.0}
    finding = result.audit.findings["lone-texts"]
    assert (finding.level, finding.first_ids) == ("warning", ["hotpotqa:0", "hotpotqa:1"])
