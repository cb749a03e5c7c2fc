"""NQ-open: the published program's counts with answers and with patterns, and lm-evaluation-harness's reading."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.nq_open.rules import compiled, is_harmless, matches
from fullmarks.testing import assert_official
from fullmarks.text import bounded_regex
from tests.hard_texts import hard_texts

GOLD = ("main", "missing", "repeated", "efficientqa_answer", "efficientqa_def_correct", "regex")
DEFINITE = "answer_and_def_correct_predictions"


def folder(golden_files: Path) -> Path:
    return golden_files / "nq_open"


def loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", GOLD)
def test_golden_runs(golden_files: Path, name: str) -> None:
    run = loaded(folder(golden_files) / "expected.json")["runs"][name]
    options: dict[str, Any] = {"regex": "--is_regex" in run["flags"]}
    if any(DEFINITE in flag for flag in run["flags"]):
        options["answer_field"] = DEFINITE
    gold, predictions = folder(golden_files) / run["gold"], folder(golden_files) / run["predictions"]
    found = assert_official("nq_open", gold, predictions, run["official"], **options)
    assert found.audit.gold == run["official"]["num_total"]


def test_golden_answers_of_single_questions(golden_files: Path) -> None:
    wanted = loaded(folder(golden_files) / "expected.json")["per_question"]
    found = fullmarks.score("nq_open", folder(golden_files) / "gold.jsonl", folder(golden_files) / "predictions.jsonl")
    assert {row["id"]: row["exact_match"] for row in found.per_example} == {
        key: each["correct"] for key, each in wanted.items()
    }


def test_golden_cases(golden_files: Path) -> None:
    cases = loaded(folder(golden_files) / "answers.json")["cases"]
    each = fullmarks.load("exact_match", recipe="nq_open").each(
        predictions=[case["prediction"] for case in cases], references=[case["golds"] for case in cases]
    )
    assert each == [case["em"] for case in cases]


def test_golden_patterns(golden_files: Path) -> None:
    cases = loaded(folder(golden_files) / "answers_regex.json")["cases"]
    each = fullmarks.load("pattern_match").each(
        predictions=[case["prediction"] for case in cases], references=[case["golds"] for case in cases]
    )
    assert each == [case["em"] for case in cases]


@pytest.mark.parametrize("name", ["lm_eval", "lm_eval_without_stop_strings"])
def test_golden_variants(golden_files: Path, name: str) -> None:
    known = loaded(folder(golden_files) / "variants.json")
    gold, predictions = folder(golden_files) / known["gold"], folder(golden_files) / known["predictions"]
    found = assert_official("nq_open", gold, predictions, known["runs"][name], variant=name)
    assert {row["id"]: row["exact_match"] for row in found.per_example} == {
        key: each[name] for key, each in known["per_question"].items()
    }
    rules = {rule.name: rule.scores for rule in fullmarks.crosscheck("nq_open", gold, predictions).rules}
    assert rules[f"variant {name}"]["exact_match"] == pytest.approx(known["runs"][name]["exact_match"], abs=1e-12)


def test_real_data(real_data: Path) -> None:
    data = real_data / "nq_open"
    for run in loaded(data / "expected.json")["runs"].values():
        assert_official(
            "nq_open",
            data / run["gold"],
            data / run["predictions"],
            run["official"],
            answer_field=run["answer_field"],
        )


# lm-evaluation-harness 0.4.13 on tiny inputs: with stop strings, without
HARNESS = [
    ("The Beatles", "Beatles", 1.0, 1.0),
    ("THE Beatles", "Beatles", 0.0, 0.0),
    ("the", "", 0.0, 0.0),
    ("vitamin a deficiency", "vitamin deficiency", 1.0, 1.0),
    ("á la carte", "la carte", 0.0, 0.0),
    ("AN apple", "apple", 0.0, 0.0),
    ("4.5", "4.5", 0.0, 1.0),
    ("pizza the hut", "pizza hut", 1.0, 1.0),
]


@pytest.mark.parametrize(("prediction", "gold", "cut", "whole"), HARNESS)
def test_the_harness_on_tiny_inputs(prediction: str, gold: str, cut: float, whole: float) -> None:
    table = [{"id": 1, "prediction": prediction, "references": [gold]}]
    for variant, score in (("lm_eval", cut), ("lm_eval_without_stop_strings", whole)):
        assert_official("nq_open", table, None, {"exact_match": score, "total": 1}, variant=variant)


def line(question: str, answer: Any) -> dict[str, Any]:
    return {"question": question, "answer": answer}


def told(question: str, prediction: str) -> dict[str, str]:
    return {"question": question, "prediction": prediction}


def counts(missing: int, correct: int, total: int) -> dict[str, Any]:
    names = ("missing_predictions", "num_correct", "num_total", "accuracy")
    return dict(zip(names, (missing, correct, total, correct / total), strict=True))


# tiny inputs and what the published program printed for them, Python 3.11.7
TINY = [
    ([line("q", ["x"]), line("r", ["x"])], [told("q", "x")], counts(1, 1, 2)),
    ([line("q", ["x"])], [told("q", "x"), told("z", "x")], counts(0, 1, 1)),
    ([line("q", ["x"]), line("q", ["y"])], [told("q", "x")], counts(0, 0, 1)),
    ([line("q", ["x"])], [told("q", "x"), told("q", "z")], counts(0, 0, 1)),
    ([line("q", "xy")], [told("q", "y")], counts(0, 1, 1)),
    ([line("q", [""])], [told("q", "the")], counts(0, 1, 1)),
]


@pytest.mark.parametrize(("gold", "predictions", "expected"), TINY)
def test_tiny_inputs(gold: Any, predictions: Any, expected: dict[str, Any]) -> None:
    assert_official("nq_open", gold, predictions, expected)


def test_what_the_program_does_in_silence_is_counted() -> None:
    lone = fullmarks.score("nq_open", [line("q", "xy"), line("r", ["x"])], [told("q", "xy"), told("r", "x")])
    assert (lone.audit.findings["lone-texts"].count, lone.scores) == (
        1,
        {"exact_match": 0.5},
    )
    broken = fullmarks.score(
        "nq_open",
        [line("q", ["(unclosed", "x"]), line("r", ["y"])],
        [told("q", "(unclosed"), told("r", "y")],
        regex=True,
    )
    assert broken.audit.findings["broken-patterns"].first_ids == ["q"]
    assert broken.official == counts(0, 1, 2)


def test_where_the_program_crashes_there_is_an_error() -> None:
    with pytest.raises(fullmarks.MismatchError, match="questions without any gold answer: 1"):
        fullmarks.score("nq_open", [line("q", []), line("r", ["x"])], [told("q", "x"), told("r", "x")])
    with pytest.raises(fullmarks.MismatchError, match="questions without any gold answer: 1"):
        fullmarks.score("nq_open", [line("q", ""), line("r", ["x"])], [told("q", "x"), told("r", "x")])
    assert fullmarks.score("nq_open", [line("q", []), line("r", ["x"])], [told("r", "x")]).official == counts(1, 1, 2)
    with pytest.raises(fullmarks.MismatchError, match="predictions that are not strings"):
        fullmarks.score("nq_open", [line("q", ["x"])], [{"question": "q", "prediction": None}])
    with pytest.raises(fullmarks.MismatchError, match="not one of them for any question"):
        fullmarks.score("nq_open", [line("q", ["x"])], [told("q?", "x")])
    with pytest.raises(fullmarks.InputError, match=r"the field 'def' is missing|no column"):
        fullmarks.score("nq_open", [line("q", ["x"])], [told("q", "x")], answer_field="def")


@pytest.mark.parametrize(("name", "regex"), [("gold.jsonl", True), ("CuratedTrec-test.jsonl", False)])
def test_flag_and_file_name_that_disagree_are_told(tmp_path: Path, name: str, regex: bool) -> None:
    for file, rows in ((name, [line("q", ["1."])]), ("CuratedTrec.jsonl", [line("q", ["1."])])):
        (tmp_path / file).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = fullmarks.score("nq_open", tmp_path / name, [told("q", "19")], regex=regex)
    assert "regex-disagrees" in found.audit.findings
    assert found.official == counts(0, int(regex), 1)
    quiet = fullmarks.score("nq_open", tmp_path / "CuratedTrec.jsonl", [told("q", "19")], regex=True)
    assert not quiet.audit.findings


def test_patterns_without_end_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("regex", reason="needs regex: make install")
    monkeypatch.setattr(bounded_regex, "SECONDS", 0.2)
    gold = [line("q", ["(a|aa)+$"])]
    with pytest.raises(fullmarks.UsageError, match=r"the pattern '\(a\|aa\)\+\$' did not come to an end"):
        fullmarks.score("nq_open", gold, [told("q", "a" * 90 + "b")], regex=True)
    with pytest.raises(fullmarks.UsageError, match="the variant 'lm_eval' knows no regular expressions"):
        fullmarks.score("nq_open", gold, [told("q", "a")], regex=True, variant="lm_eval")


def test_patterns_with_a_bound_are_read_as_the_others() -> None:
    pytest.importorskip("regex", reason="needs regex: make install")
    pattern = "(a|aa)+$"
    assert not is_harmless(pattern, 90)
    assert matches("Aaa\nb", pattern)  # in any case, and to the end of a line
    assert not matches("aab", pattern)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of the plain compile below
@pytest.mark.parametrize("count", [600, pytest.param(4_000, marks=pytest.mark.deep)])
def test_patterns_equal_those_of_re(count: int) -> None:
    """As the program states it, over patterns made of pieces that `re` and `regex` might read differently."""
    source = random.Random(13)
    pieces = [
        *"ab.*+?|()[]{}^$\\",
        "\\d",
        "\\w+",
        "\\s",
        "(?:a|b)",
        "[^a]",
        "x{2}",
        "{",
        "[[a]",
        "é",
        "İ",
        "ß",
        "ς",
        "K",
        "\\b",
    ]
    texts = hard_texts(400, seed=4) + ["".join(source.choices("abx {}[]\nÉéiıſ", k=5)) for _ in range(400)]
    flags = re.IGNORECASE | re.UNICODE | re.MULTILINE
    seen = set()
    for _ in range(count):  # each pattern is compiled by two packages, which costs a thousand matches
        pattern = "".join(source.choices(pieces, k=source.randint(1, 4)))
        try:
            plain = re.compile(pattern, flags)
        except (re.error, OverflowError):
            assert compiled(pattern) is None
            continue
        for text in source.sample(texts, 12):
            if not is_harmless(pattern, len(text)):
                continue  # what regex reads in its own way is said on the card
            wanted = plain.match(text) is not None
            assert matches(text, pattern) == wanted, (pattern, text)
            seen.add(wanted)
    assert seen == {True, False}


def test_explanation_of_a_pattern() -> None:
    gold = [line("q", ["York", "new yo(rk|kr)", "(bad"])]
    why = fullmarks.explain("nq_open", gold, [told("q", "New York City")], id="q", regex=True)
    assert [(row["is a pattern"], row["matches"]) for row in why.tables["references"]] == [
        (True, 0.0),
        (True, 1.0),
        (False, 0.0),
    ]
    assert why.scores == {"exact_match": 1.0}


def test_signature_says_what_was_asked_for() -> None:
    gold = [{**line("q", ["x"]), DEFINITE: ["y"]}]
    found = fullmarks.score("nq_open", gold, [told("q", "y")], answer_field=DEFINITE)
    assert found.signature.startswith(
        f"nq_open|norm:nq_open|variant:script|missing:zero|duplicate:last|answers:{DEFINITE}|"
    )
    assert found.official == counts(0, 1, 1)


@pytest.mark.parametrize(
    ("pattern", "prediction", "correct"),
    [
        (r"(\N{LATIN SMALL LETTER A})+", "aa", 1),
        (r"(the )?\w+( \w+)*$", "x²", 1),
        (r"(\s)+", "\x1f", 1),
        ("(i)+", "ı", 1),
        (r"(\w)+$", "e\u0301", 0),
    ],
)
def test_patterns_with_a_repeated_group_take_the_characters_that_re_takes(
    pattern: str, prediction: str, correct: int
) -> None:
    """The published program's numbers, where the package that bounds the time has other tables of characters."""
    gold = [{"question": "q", "answer": [pattern]}]
    found = fullmarks.score("nq_open", gold, [{"question": "q", "prediction": prediction}], regex=True)
    assert found.official["num_correct"] == correct


def test_a_null_for_an_unknown_question_is_only_unknown() -> None:
    gold = [{"question": "q", "answer": ["x"]}]
    rows = [{"question": "q", "prediction": "x"}, {"question": "other", "prediction": None}]
    found = fullmarks.score("nq_open", gold, rows)
    assert found.official["num_correct"] == 1
    assert found.audit.findings["unknown-predictions"].first_ids == ["other"]
    assert "not-strings" not in found.audit.findings
