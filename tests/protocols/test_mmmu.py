"""MMMU: letters, open answers, raw responses with their guesses, and MMMU-Pro, equal to the published programs."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.protocols.mmmu.rules import Guesses, judge_open, parse_open
from fullmarks.testing import assert_official, first_difference
from tests.hard_texts import hard_text


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "mmmu"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_golden(golden: Path) -> None:
    expected = load(golden / "expected.json")
    files = golden / "answer_dict_val.json", golden / "predictions.json"
    result = assert_official("mmmu", *files, expected["result"])
    assert result.scores["accuracy"] == pytest.approx(expected["overall_unrounded"], rel=1e-12)
    assert {row["id"]: bool(row["accuracy"]) for row in result.per_example} == expected["per_question"]
    found = {
        subject: {"acc": part["accuracy"], "num_example": part["n"]} for subject, part in result.by("subject").items()
    }
    assert found == expected["unrounded"]


def test_golden_runs(golden: Path) -> None:
    runs = load(golden / "expected.json")["runs"]
    gold, predictions = load(golden / "answer_dict_val.json"), load(golden / "predictions.json")
    domain = ("Accounting", "Economics", "Finance", "Manage", "Marketing")
    choice = next(key for key, value in gold.items() if value["question_type"] == "multiple-choice")
    changed: dict[str, dict[str, Any]] = {
        "missing_60": dict(list(predictions.items())[60:]),
        "missing_subject": {key: value for key, value in predictions.items() if key.split("_")[1:-1] != ["Art"]},
        "missing_domain": {key: value for key, value in predictions.items() if key.split("_")[1] not in domain},
        "extra_subject": {**predictions, "validation_Alchemy_1": "A"},
        "null_choice": {**predictions, choice: None},
    }
    changed["dev_prefix"] = {**predictions, "dev_Art_1": "A"}
    wider = {**gold, "dev_Art_1": {"question_type": "multiple-choice", "ground_truth": "A"}}
    for run, texts in changed.items():
        result = fullmarks.score("mmmu", wider if run == "dev_prefix" else gold, texts)
        assert result.official["Overall"] == runs[run]["Overall"], run
        assert result.scores["accuracy"] == pytest.approx(runs[run]["overall_unrounded"], rel=1e-12)
        if "keys" in runs[run]:
            assert list(result.official) == runs[run]["keys"]
    assert fullmarks.score("mmmu", gold, changed["missing_domain"]).official["Overall-Business"] == {"num": 0, "acc": 0}


def test_crashes_are_errors(golden: Path) -> None:
    gold, predictions = load(golden / "answer_dict_val.json"), load(golden / "predictions.json")
    opened = next(key for key, value in gold.items() if value["question_type"] != "multiple-choice")
    with pytest.raises(fullmarks.MismatchError, match="unknown questions of a known subject: 1"):
        fullmarks.score("mmmu", gold, {**predictions, "validation_Art_999": "A"})
    for value in (None, 7):
        with pytest.raises(fullmarks.MismatchError, match="open answers that are not texts: 1"):
            fullmarks.score("mmmu", gold, {**predictions, opened: value})
    with pytest.raises(fullmarks.InputError, match="no prediction"):
        fullmarks.score("mmmu", gold, {})


def test_raw_responses_with_their_guesses(golden: Path) -> None:
    expected = load(golden / "expected.json")
    result = fullmarks.score("mmmu", golden / "raw_output.json", variant="raw")
    each = expected["parse_and_eval"]["per_question"]
    assert {row["id"]: (bool(row["accuracy"]), bool(row["guessed"])) for row in result.per_example} == {
        identifier: (found["correct"], found["random_guess"]) for identifier, found in each.items()
    }
    assert result.scores["accuracy"] == expected["parse_and_eval"]["result"]["acc"]
    assert result.official["random_guesses"] == expected["parse_and_eval"]["random_guesses"]
    assert result.audit.findings["no-option"].count == expected["parse_and_eval"]["random_guesses"]
    kinds = result.by("question_type")
    official = expected["variants"]["official on raw_output.json"]
    assert [kinds["multiple-choice"]["accuracy"], kinds["short-answer"]["accuracy"]] == list(official.values())


def test_lmms_eval(golden: Path) -> None:
    expected = load(golden / "expected.json")["variants"]["lmms-eval on raw_output.json"]
    kinds = fullmarks.score("mmmu", golden / "raw_output.json", variant="lmms-eval").by("question_type")
    assert [kinds["multiple-choice"]["accuracy"], kinds["short-answer"]["accuracy"]] == list(expected.values())


def test_real_letters_and_responses(real_data: Path) -> None:
    folder = real_data / "mmmu"
    expected = load(folder / "expected.json")
    found: dict[str, Any] = {}
    wanted: dict[str, Any] = {}
    for system in ("llava1.5_13b_val", "llava1.5_13b_total", "qwen_vl_total"):
        result = fullmarks.score("mmmu", folder / "answer_dict_val.json", folder / f"{system}.json")
        found[system] = [result.official, result.scores["accuracy"]]
        wanted[system] = [expected[system]["printed_dict"], expected[system]["overall_unrounded"]]
    for run in ("standard10_options_direct", "vision_direct", "vision_cot"):
        found[run] = fullmarks.score("mmmu", folder / f"pro_gpt-4o_{run}.jsonl", variant="pro").official
        wanted[run] = {key: expected[f"pro gpt-4o_{run}"][key] for key in ("accuracy", "random_guesses")}
    assert first_difference(found, wanted) is None
    for system in ("llava1.5_13b", "qwen_vl"):
        parts = fullmarks.score("mmmu", folder / f"raw_{system}.json", variant="raw").by("subject")
        each = {subject: {"acc": part["accuracy"], "num_example": part["n"]} for subject, part in parts.items()}
        assert each == expected[f"parse_and_eval {system}"]["by_subject"], system


def test_single_open_cases(golden: Path) -> None:
    cases = [case for case in load(golden / "answers.json")["cases"] if case["what"] == "open"]
    assert len(cases) == 420
    for case in cases:
        golds = [case["gold"]] if isinstance(case["gold"], str) else case["gold"]
        assert sorted(parse_open(case["response"]), key=repr) == sorted(case["parsed"], key=repr), case
        assert judge_open(case["response"], golds).is_right == case["correct"], case


def test_guesses_are_the_first_draws_of_python(golden: Path) -> None:
    for case in load(golden / "answers.json")["cases"]:
        if case["what"] == "choice" and case["first_guess_seed_42"]:
            letters = "ABCDEFGHIJ"[: len(case["options"])]
            assert Guesses().draw(letters) == case["first_guess_seed_42"]
    # the draws of CPython 3.11.7: random.seed(42); [random.choice("ABCD") for _ in range(12)]
    guesses = Guesses()
    assert "".join(guesses.draw("ABCD") for _ in range(12)) == "AACBBBAADAAA"


def test_an_empty_gold_answer_is_said() -> None:
    gold = {"validation_Art_1": {"question_type": "open", "ground_truth": ""}}
    result = fullmarks.score("mmmu", gold, {"validation_Art_1": "anything"})
    assert result.official["Overall"] == {"num": 1, "acc": 1.0}
    assert result.audit.findings["empty-open-answers"].count == 1


def test_without_options_no_letter_is_drawn() -> None:
    gold = {"validation_Art_1": {"question_type": "multiple-choice", "ground_truth": "B"}}
    result = fullmarks.score("mmmu", gold, {"validation_Art_1": "no idea"}, variant="raw")
    assert (result.official["Overall"], result.official["random_guesses"]) == ({"num": 1, "acc": 0.0}, 0)
    assert result.audit.findings["no-letter"].count == 1


def plain_is_right(response: str, golds: list[str]) -> bool:
    """The rule for open answers, stated once more without the tables of the rules."""

    def normal(text: str) -> list[Any]:
        text = text.strip()
        try:
            return [round(float("".join(part for part in text.split(","))), 2)]
        except ValueError:
            return [" " + text.lower(), text.lower() + " "] if len(text.lower()) == 1 else [text.lower()]

    text = response.strip().strip(".").lower()
    parts, words = text.split("\n"), ["could be", "so", "is", "thus", "therefore", "final", "answer", "result"]
    marks, kept = [word + " " for word in words], []
    for number, part in enumerate(parts, start=1):
        if number == len(parts):
            marks = [*marks, "="]
        best = ""
        for mark in marks:
            pieces = part.split(mark)
            if len(pieces) > 1 and (best == "" or len(pieces[-1].strip()) < len(best)):
                best = pieces[-1].strip()
        if best and best not in {":", ",", ".", "!", "?", ";", "'"}:
            kept.append(best)
    kept = kept or [text]
    for each in list(kept):
        kept += re.findall(r"-?\b\d\d?\d?(?:,\d\d\d)+\b", each)
        kept += re.findall(r"-?\d+(?:\.\d+)?[eE](?:\+|-)?\d+", each)
        kept += re.findall(r"-?(?:\d+\.\d+|\.\d+|\d+\b)(?![eE](?:\+|-)?\d+)(?!,|\d)", each)
    said, wanted = [form for each in kept for form in normal(each)], [form for gold in golds for form in normal(gold)]
    texts = [form for form in wanted if isinstance(form, str)]
    return any(any(form in each for form in texts) if isinstance(each, str) else each in wanted for each in said)


@pytest.mark.parametrize("count", [3_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_open_answers_against_a_plain_statement(count: int) -> None:
    source = random.Random(42)
    pieces = [
        "is ",
        "so ",
        "answer ",
        "= ",
        "\n",
        "24",
        "1,250",
        "1e3",
        "-.5",
        "3.14",
        ". ",
        "the ",
        "a",
        "42%",
        ":",
        " ",
    ]
    golds = ["24", "a", "1,250", "", "blue whale", "3.1415", "-0.5", "1000", "42%", " A "]
    for number in range(count):
        text = "".join(source.choices(pieces, k=source.randrange(7)))
        if number % 25 == 0:
            text += hard_text(source)
        wanted = [source.choice(golds)]
        assert judge_open(text, wanted).is_right == plain_is_right(text, wanted), (text, wanted)


def one(question: Any, prediction: str) -> float:
    identifier = "validation_Math_1"
    accuracy: float = fullmarks.score("mmmu", {identifier: question}, {identifier: prediction}).official["Math"]["acc"]
    return accuracy


@pytest.mark.parametrize("kind", ["open", None, ["multiple-choice"], {}, 5])
def test_every_type_but_multiple_choice_is_open(kind: Any) -> None:
    assert one({"question_type": kind, "ground_truth": "42"}, "It is 42") == 1.0
    assert one({"question_type": "multiple-choice", "ground_truth": "42"}, "It is 42") == 0.0


def test_a_question_without_a_type_is_an_error() -> None:
    with pytest.raises(fullmarks.InputError, match=r"\['validation_Math_1'\]: the field 'question_type' is missing"):
        one({"ground_truth": "42"}, "It is 42")
    for variant in ("raw", "lmms-eval"):
        with pytest.raises(fullmarks.InputError, match="'validation_Math_1': the field 'question_type' is missing"):
            fullmarks.score("mmmu", [{**ROW, "response": "(B)"}], variant=variant)
    assert fullmarks.score("mmmu", [{**ROW, "response": "(B)"}], variant="pro").official["accuracy"] == 100.0


ROW = {"id": "validation_Math_1", "answer": "B", "all_choices": ["A", "B"], "index2ans": {"A": "red", "B": "a whale"}}
LONG = "I am sure that it is a whale"


def raw_accuracy(variant: str = "raw", **fields: Any) -> float:
    row = {**ROW, "question_type": "multiple-choice", "response": LONG, **fields}
    accuracy: float = fullmarks.score("mmmu", [row], variant=variant).official["Math"]["acc"]
    return accuracy


def test_texts_of_options_are_those_of_index2ans_in_its_order() -> None:
    assert raw_accuracy(all_choices=["A"]) == 1.0
    assert raw_accuracy(all_choices=["A"], response="(B)") == 0.0  # no letter that is on offer: A is drawn
    assert raw_accuracy(index2ans={"B": "whale", "A": "whale"}) == 1.0
    assert raw_accuracy(index2ans={"A": "whale", "B": "whale"}) == 0.0


@pytest.mark.parametrize("letters", [["A", "B", "B"], ["B", "A", "A"], ["A", "A", "A", "B"]])
def test_a_letter_on_offer_twice_is_drawn_twice_as_often(letters: list[str]) -> None:
    rows = [
        {
            **ROW,
            "id": f"validation_Math_{n}",
            "question_type": "multiple-choice",
            "all_choices": letters,
            "response": "?",
        }
        for n in range(40)
    ]
    drawn = random.Random(42)
    wanted = [float(drawn.choice(letters) == "B") for _ in rows]
    assert [row["accuracy"] for row in fullmarks.score("mmmu", rows, variant="raw").per_example] == wanted


@pytest.mark.parametrize("variant", ["raw", "lmms-eval", "pro"])
@pytest.mark.parametrize("letters", [[1, 2], [None], [["A"]]])
def test_letters_that_are_no_texts_are_an_error(variant: str, letters: list[Any]) -> None:
    with pytest.raises(fullmarks.InputError, match="'validation_Math_1': 'all_choices' must hold texts, found "):
        raw_accuracy(variant, all_choices=letters)


@pytest.mark.parametrize("variant", ["raw", "lmms-eval"])
def test_options_that_are_numbers_are_read_as_their_digits(variant: str) -> None:
    assert raw_accuracy(variant, index2ans={"A": 5, "B": 7}, response="(B)") == 1.0
    assert raw_accuracy(variant, index2ans={"A": 5, "B": 7}, response="so it must surely be 7 then") == 1.0
    with pytest.raises(fullmarks.InputError, match="'index2ans' must hold texts, found a list"):
        raw_accuracy(variant, index2ans={"A": ["red"], "B": "blue"})


def test_lmms_eval_rounds_to_five_digits() -> None:
    rows = [
        {**ROW, "id": f"validation_Math_{n}", "question_type": "multiple-choice", "response": f"({letter})"}
        for n, letter in enumerate("BBA")
    ]
    assert fullmarks.score("mmmu", rows, variant="lmms-eval").official["Overall"]["acc"] == 0.66667
    assert fullmarks.score("mmmu", rows, variant="raw").official["Overall"]["acc"] == 0.667
