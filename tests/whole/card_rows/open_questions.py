"""The cases of TriviaQA, NQ-open, PopQA and GSM8K."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import fullmarks
from tests.whole.card_rows.checking import (
    HARNESS,
    LIST_GOLD,
    NULL,
    NUMBER_AND_TEXT,
    all_of,
    all_refused,
    file,
    gives,
    lines,
    met_by_text,
    only_unknown,
    refused,
    scored,
)


def trivia(*questions: dict[str, Any], domain: str = "Wikipedia", verified: bool = False, version: Any = 1.0) -> Any:
    return {"Version": version, "Domain": domain, "VerifiedEval": verified, "Data": list(questions)}


def trivia_question(identifier: Any = "1", *aliases: str, **answer: Any) -> dict[str, Any]:
    return {"QuestionId": identifier, "Answer": {"NormalizedAliases": list(aliases), **answer}}


TRIVIA_RIGHT = {"exact_match": 100.0, "common": 1}


def no_verified_document(folder: Path) -> None:
    document = {"Filename": "f", "DocPartOfVerifiedEval": False}
    asked = {**trivia_question("1", "x"), "QuestionPartOfVerifiedEval": True, "SearchResults": [document]}
    gold = trivia(asked, domain="Web", verified=True)
    refused("the verified question '1' has no verified document", "triviaqa", gold, {"1--f": "x"})


def harness_of_triviaqa(folder: Path) -> None:
    def exact(prediction: str, *aliases: str) -> float:
        gold = trivia(trivia_question("1", "unread", Aliases=list(aliases)))
        value: float = fullmarks.score("triviaqa", gold, {"1": prediction}, variant="lm_eval").official["exact_match"]
        return value

    assert exact("İzmir", "İzmir", "Smyrna, Turkey") == 1.0  # lm-evaluation-harness: 0
    assert exact("İ", "i") == 0.0  # 1
    assert exact("x\0", "x") == 0.0  # 1


def harness_of_nq_open(folder: Path) -> None:
    def exact(prediction: str, *answers: str) -> float:
        gold, rows = [{"question": "q", "answer": list(answers)}], [{"question": "q", "prediction": prediction}]
        value: float = fullmarks.score("nq_open", gold, rows, variant="lm_eval").official["exact_match"]
        return value

    assert exact("İzmir", "İzmir", "Smyrna, Turkey") == 1.0  # lm-evaluation-harness: 0
    assert exact("İ", "i") == 0.0  # 1
    assert exact("x\0", "x") == 0.0  # 1


def nq(answer: Any = ("x",), question: str = "q") -> list[dict[str, Any]]:
    return [{"question": question, "answer": list(answer) if isinstance(answer, tuple) else answer}]


def answered(prediction: Any = "x", question: str = "q") -> list[dict[str, Any]]:
    return [{"question": question, "prediction": prediction}]


def blank_lines_of_nq_open(folder: Path) -> None:
    gold = file(folder, "gold.jsonl", lines(*nq()) + "\n")
    predictions = file(folder, "predictions.jsonl", "\n" + lines(*answered()))
    scored("nq_open", gold, predictions, wanted={"num_correct": 1, "num_total": 1})


def name_and_flag_disagree(folder: Path) -> None:
    curated = file(folder, "CuratedTrec-test.jsonl", lines(*nq()))
    other = file(folder, "NQ-open.jsonl", lines(*nq()))
    for gold, regex in ((curated, False), (other, True)):
        scored("nq_open", gold, answered(), wanted={"num_correct": 1}, warning="regex-disagrees", regex=regex)
    scored("nq_open", curated, answered(), wanted={"num_correct": 1}, regex=True)


def long_patterns(folder: Path) -> None:
    gold = file(folder, "CuratedTrec-test.jsonl", lines(*nq(("(a|aa)+$",))))
    with patch("fullmarks.text.bounded_regex.SECONDS", 0.2):
        refused("did not come to an end within 0.2 seconds", "nq_open", gold, answered("a" * 90 + "b"), regex=True)
    for pattern, prediction, correct in (("(i)+", "ı", 1), (r"(\w)+$", "e\u0301", 0), (r"(\s)+", "\x1f", 1)):
        assert (re.match(pattern, prediction, re.I | re.M) is not None) == bool(correct)
        gold = file(folder, "CuratedTrec-test.jsonl", lines(*nq((pattern,))))
        scored("nq_open", gold, answered(prediction), wanted={"num_correct": correct}, regex=True)


def patterns_that_stop_the_program(folder: Path) -> None:
    for pattern in ("(?a)x", "x{99999999999}", "(" * 500 + "x" + ")" * 500):
        gold = file(folder, "CuratedTrec-test.jsonl", lines(*nq((pattern,))))
        try:
            re.compile(pattern, re.IGNORECASE | re.UNICODE | re.MULTILINE)
        except (ValueError, OverflowError, RecursionError):
            scored("nq_open", gold, answered(), wanted={"num_correct": 0}, warning="broken-patterns", regex=True)
        else:  # a later Python nests more deeply
            scored("nq_open", gold, answered(), wanted={"num_correct": 1}, regex=True)


def gaps_of_popqa(folder: Path) -> None:
    gold = [{"id": 1, "possible_answers": ["Paris"]}, {"id": 2, "possible_answers": ["Rome"]}]
    first, both = {"1": "Paris"}, {"1": "Paris", "2": "Rome"}
    refused("questions without a prediction: 1", "popqa", gold, first)
    scored("popqa", gold, first, wanted={"accuracy": 0.5}, warning="missing-predictions", on_missing="zero")
    scored("popqa", gold, {**both, "3": "x"}, wanted={"accuracy": 1.0}, warning="unknown-predictions")
    rows = [{"id": 1, "pred": "Rome"}, {"id": 1, "pred": "Paris"}, {"id": 2, "pred": "Rome"}]
    refused("predictions with a repeated id: 1", "popqa", gold, rows)
    scored("popqa", gold, rows, wanted={"accuracy": 1.0}, warning="repeated-predictions", on_duplicate="last")


def worked(answer: Any = "so #### 18") -> dict[str, Any]:
    return {"question": "?", "answer": answer}


def blank_line_of_gsm8k(folder: Path) -> None:
    gold = file(folder, "gold.jsonl", lines(worked()) + "\n" + lines(worked("#### 5")))
    scored("gsm8k", gold, ["#### 18", "#### 5"], wanted={"correct": 2, "total": 2})


def gaps_of_gsm8k(folder: Path) -> None:
    gold = [worked(), worked("#### 5")]
    refused("questions without a prediction: 1", "gsm8k", gold, {"0": "#### 18"})
    wanted = {"correct": 1, "total": 2}
    scored("gsm8k", gold, {"0": "#### 18"}, wanted=wanted, warning="missing-predictions", on_missing="zero")
    rows = [{"id": at, "prediction": text} for at, text in ((0, "#### 1"), (0, "#### 18"), (1, "#### 5"))]
    refused("predictions with a repeated id: 1", "gsm8k", gold, rows)
    wanted = {"correct": 2, "total": 2}
    scored("gsm8k", gold, rows, wanted=wanted, warning="repeated-predictions", on_duplicate="last")


OPEN = {
    "triviaqa": {
        "a predicted question without any gold answer": all_refused(
            (r"without any gold answer: 1 \(first ids: '1'\)", "triviaqa", trivia(trivia_question("1")), {"1": "x"})
        ),
        NULL: only_unknown(
            "triviaqa", trivia(trivia_question("1", "x")), {"1": "x"}, {"1": None}, {"1": "x", "2": 5}, TRIVIA_RIGHT
        ),
        "a verified Web question without a verified document": no_verified_document,
        "no prediction belongs to any question": all_refused(
            ("not one of them for any question", "triviaqa", trivia(trivia_question("1", "x")), {"2": "x"})
        ),
        NUMBER_AND_TEXT: met_by_text("triviaqa", trivia(trivia_question(1, "x")), {"1": "x"}, TRIVIA_RIGHT),
        "`HumanAnswers` that are null": gives(
            "triviaqa", trivia(trivia_question("1", "x", HumanAnswers=None)), {"1": "x"}, wanted=TRIVIA_RIGHT
        ),
        HARNESS: harness_of_triviaqa,
        "another `Version` than 1.0": gives(
            "triviaqa",
            trivia(trivia_question("1", "x"), version=2.0),
            {"1": "x"},
            wanted=TRIVIA_RIGHT,
            warning="other-version",
        ),
    },
    "nq_open": {
        "a predicted question whose answers are `[]`": all_refused(
            (r"without any gold answer: 1 \(first ids: 'q'\)", "nq_open", nq([]), answered())
        ),
        '`"answer": "xy"`, a text and no list': all_of(
            gives("nq_open", nq("xy"), answered("y"), wanted={"num_correct": 1}, warning="lone-texts"),
            gives("nq_open", nq("xy"), answered("xy"), wanted={"num_correct": 0}, warning="lone-texts"),
        ),
        "a blank line in a file": blank_lines_of_nq_open,
        "flag and the word `CuratedTrec` in the file's name disagree": name_and_flag_disagree,
        "a pattern that may run for long": long_patterns,
        "a pattern with `(?a)`, a count that is too large or groups nested too deeply": patterns_that_stop_the_program,
        NULL: only_unknown(
            "nq_open", nq(), answered(), answered(None), answered() + answered(5, "other"), {"num_correct": 1}
        ),
        HARNESS: harness_of_nq_open,
        "no prediction belongs to any question": all_refused(
            ("not one of them for any question", "nq_open", nq(), answered("x", "other"))
        ),
    },
    "popqa": {"missing, extra or repeated predictions": gaps_of_popqa},
    "gsm8k": {
        "a gold answer without a number": all_refused(
            (r"without a number after '#### ': 1 \(first ids: 0\)", "gsm8k", [worked("eighteen")], ["#### 18"])
        ),
        LIST_GOLD: gives("gsm8k", [worked(["#### 1", "#### 18"])], ["#### 18"], wanted={"correct": 1}),
        "a blank line in the gold": blank_line_of_gsm8k,
        "missing or repeated predictions": gaps_of_gsm8k,
    },
}
