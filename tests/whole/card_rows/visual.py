"""What fullmarks does in each row of "Where we differ" on the cards of the visual benchmarks.

`CASES` has a function for the first cell of every row: it runs the case and asserts the error, the finding or the
number that the row promises. The other side, what a published program does, is held by the golden files.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.cli.run import run as run_command

Case = Callable[[Path], None]
CASES: dict[str, dict[str, Case]] = {}
Rows = list[dict[str, Any]]


def case(benchmark: str, row: str) -> Callable[[Case], Case]:
    """Registers the function of one row."""

    def register(function: Case) -> Case:
        rows = CASES.setdefault(benchmark, {})
        assert row not in rows, f"{benchmark}: {row!r} has two cases"
        rows[row] = function
        return function

    return register


def shared_case(benchmarks: tuple[str, ...], row: str) -> Callable[[Callable[[str, Path], None]], None]:
    """The same for a row that several cards have; the function takes the benchmark's name first."""

    def register(function: Callable[[str, Path], None]) -> None:
        for benchmark in benchmarks:
            case(benchmark, row)(partial(function, benchmark))

    return register


def official(*given: Any, **options: Any) -> Any:
    return fullmarks.score(*given, **options).official


def refused(match: str, *given: Any, **options: Any) -> None:
    with pytest.raises(fullmarks.FullmarksError, match=match):
        fullmarks.score(*given, **options)


def warned(code: str, *given: Any, **options: Any) -> Any:
    """The official result of files that are scored with this warning."""
    result = fullmarks.score(*given, **options)
    assert result.audit.findings[code].level == "warning"
    return result.official


def noted(code: str, *given: Any, **options: Any) -> Any:
    result = fullmarks.score(*given, **options)
    assert result.audit.findings[code].level == "note"
    return result.official


# vqa and okvqa


def annotation(identifier: Any, answers: list[Any], **fields: Any) -> dict[str, Any]:
    records = [{"answer": answer, "answer_id": place} for place, answer in enumerate(answers)]
    return {"question_id": identifier, "answers": records, "question_type": "q", "answer_type": "a", **fields}


def annotations(*golds: list[Any]) -> dict[str, Any]:
    return {"annotations": [annotation(at, answers) for at, answers in enumerate(golds)]}


def results(*answers: Any) -> Rows:
    return [{"question_id": at, "answer": answer} for at, answer in enumerate(answers)]


VQA = ("vqa", "okvqa")


@shared_case(VQA, "an exact tie, on Python 2")
def _(name: str, _: Path) -> None:
    golds = [["x"] * 10] * 8 + [["x"] * 3 + ["y"] * 7] + [["y"] * 10] * 7
    files = annotations(*golds), results(*["x"] * 16)
    assert official(name, *files)["overall"] == 55.62
    assert official(name, *files, rounding="half-away")["overall"] == 55.63


@shared_case(VQA, "other characters, on Python 2")
def _(name: str, _: Path) -> None:
    assert official(name, annotations(["", "\u180e", "", ""]), results(""))["overall"] == 75.0


@case("vqa", "Python 3.12 or later, whose `sum` compensates")
def _(_: Path) -> None:
    agreeing = [10 if digit == "X" else int(digit) for digit in "0303X1X13XXXXXXX22X0XX30X1X2X0X222X22X2X"]
    files = annotations(*(["x"] * each + ["y"] * (10 - each) for each in agreeing)), results(*["x"] * len(agreeing))
    assert official("vqa", *files, precision=15)["overall"] == 72.25000000000003
    assert official("vqa", *files)["overall"] == 72.25


@case("vqa", "gold in a table, without records")
def _(_: Path) -> None:
    table = [{"id": 0, "prediction": "red", "references": ["red"] * 10}]
    assert official("vqa", table)["overall"] == 100.0
    records = {"annotations": [{"question_id": 0, "answers": [{"answer": "red"}] * 10}]}
    assert official("vqa", records, results("red"))["overall"] == 0.0


@case("vqa", "the same id twice in the results")
def _(_: Path) -> None:
    files = annotations(["red"] * 10), [*results("blue"), *results("red")]
    refused("predictions with a repeated id: 1", "vqa", *files)
    assert official("vqa", *files, on_duplicate="first")["overall"] == 0.0
    assert official("vqa", *files, on_duplicate="last")["overall"] == 100.0


def missing_or_unknown(name: str) -> None:
    gold = annotations(["red"] * 10, ["blue"] * 10)
    refused(r"questions without a prediction: 1 \(first ids: 1\)", name, gold, results("red"))
    assert official(name, gold, results("red"), on_missing="zero")["overall"] == 50.0
    assert official(name, gold, results("red"), on_missing="skip")["overall"] == 100.0
    three = results("red", "blue", "green")
    refused(r"predictions for unknown questions: 1 \(first ids: 2\)", name, gold, three)
    assert official(name, gold, three, strict=False)["overall"] == 100.0


@case("vqa", "ids are missing or unknown")
def _(_: Path) -> None:
    missing_or_unknown("vqa")


@case("okvqa", "a prediction is missing, or for an unknown question")
def _(_: Path) -> None:
    missing_or_unknown("okvqa")


@shared_case(VQA, "an answer is null or a number")
def _(name: str, _: Path) -> None:
    for answer in (None, 5):
        refused("predictions that are not strings: 1 .*0 has", name, annotations(["red"] * 10), results(answer))


@shared_case(VQA, "a question has no gold answer")
def _(name: str, _: Path) -> None:
    refused(r"questions without any gold answer: 1 \(first ids: 0\)", name, annotations([]), results("red"))


@case("vqa", "a question has one annotator")
def _(_: Path) -> None:
    assert warned("single-annotator", "vqa", annotations(["red"]), results("red"))["overall"] == 0.0


@case("vqa", "annotators have equal records")
def _(_: Path) -> None:
    records = [{"answer": "red"}] * 3 + [{"answer": "blue"}] * 7
    gold = {"annotations": [{"question_id": 0, "answers": records}]}
    assert warned("equal-records", "vqa", gold, results("red"))["overall"] == 70.0


@shared_case(VQA, "a question twice in the annotations")
def _(name: str, _: Path) -> None:
    gold = {"annotations": [annotation(0, ["no"] * 4), annotation(0, ["two", "two", "2", "two"])]}
    assert warned("repeated-questions", name, gold, results("two"))["overall"] == 50.0
    assert warned("repeated-questions", name, gold, results("2"))["overall"] == 100.0


@case("vqa", "a `question_type` that is a number, an id such as 1.0")
def _(_: Path) -> None:
    odd = {"annotations": [annotation(0, ["red"] * 10, question_type=5)]}
    refused(r"question_type: expected a string or null, found a whole number", "vqa", odd, results("red"))
    odd = {"annotations": [annotation(1.0, ["red"] * 10)]}
    refused("question_id: expected a whole number or a string, found a number", "vqa", odd, results("red"))


@case("vqa", '`task_type` "Multiple Choice" in the questions file')
def _(_: Path) -> None:
    asked = [{"question_id": 0, "question": "Which?", "multiple_choices": ["blue"]}]
    questions = {"task_type": "Multiple Choice", "questions": asked}
    assert official("vqa", annotations(["red"] * 10), results("red"), questions=questions)["overall"] == 100.0


# aokvqa


def choice_question(identifier: str = "q", **fields: Any) -> dict[str, Any]:
    known = {"question_id": identifier, "choices": ["cat", "dog"], "correct_choice_idx": 1}
    return {**known, "direct_answers": ["dog"] * 10, "difficult_direct_answer": False, **fields}


BOTH = {"multiple_choice": "dog", "direct_answer": "dog"}


@case("aokvqa", "no prediction at all")
def _(_: Path) -> None:
    refused("there is no prediction in it", "aokvqa", [choice_question()], {})


@case("aokvqa", "no prediction for any question of the gold")
def _(_: Path) -> None:
    refused("not one of them for any question", "aokvqa", [choice_question()], {"other": BOTH})


@case("aokvqa", "all questions difficult, or one without the mark")
def _(_: Path) -> None:
    unmarked = choice_question("r")
    del unmarked["difficult_direct_answer"]
    for gold in ([choice_question(difficult_direct_answer=True)], [choice_question(), unmarked]):
        answers = {row["question_id"]: BOTH for row in gold}
        result = fullmarks.score("aokvqa", gold, answers)
        assert result.official == {"MC": 100.0}
        assert any("so there is no DA" in found.detail for found in result.audit.at_level("warning"))


@case("aokvqa", "a prediction is null or a number")
def _(_: Path) -> None:
    for answer in (None, 5):
        refused("'q'", "aokvqa", [choice_question()], {"q": {**BOTH, "direct_answer": answer}})


@case("aokvqa", "`correct_choice_idx` is negative or out of range")
def _(_: Path) -> None:
    for index in (-1, 2):
        gold = [choice_question(correct_choice_idx=index)]
        refused(rf"\[0\]: 'correct_choice_idx' must be the place .*found {index}", "aokvqa", gold, {"q": BOTH})


# textvqa


def text_question(identifier: int = 1, answers: int = 10) -> dict[str, Any]:
    return {"question_id": identifier, "image_id": "i", "question": "What?", "answers": ["x"] * answers}


def llava_row(**fields: Any) -> dict[str, Any]:
    return {"question_id": "i", "prompt": "What?\nAnswer in a word.", "text": "x", **fields}


@case("textvqa", "other than ten gold answers")
def _(_: Path) -> None:
    gold, answers = {"data": [text_question(answers=9)]}, [{"question_id": 1, "answer": "x"}]
    refused(r"questions without exactly 10 gold answers: 1 \(first ids: 1\)", "textvqa", gold, answers)
    assert official("textvqa", gold, answers, variant="lmms-eval") == {"exact_match": 1.0}


@case("textvqa", "no prediction at all")
def _(_: Path) -> None:
    refused("there is no prediction", "textvqa", {"data": [text_question()]}, [])


@case("textvqa", "a prediction is null or a number")
def _(_: Path) -> None:
    for answer in (None, 5):
        rows = [{"question_id": 1, "answer": answer}]
        refused("predictions that are not strings: 1 .*1 has", "textvqa", {"data": [text_question()]}, rows)


@case("textvqa", "an answer of LLaVA's for an unknown image or question")
def _(_: Path) -> None:
    gold = {"data": [text_question()]}
    strangers = [llava_row(), llava_row(question_id="j"), llava_row(prompt="Who?\nAnswer in a word.")]
    refused("2 of 3 answers are for no question of the gold", "textvqa", gold, strangers)


@case("textvqa", "a prompt without a question")
def _(_: Path) -> None:
    refused("record 1: expected a prompt", "textvqa", {"data": [text_question()]}, [llava_row(prompt="What?")])


@case("textvqa", "a submission with an unknown id")
def _(_: Path) -> None:
    files = {"data": [text_question()]}, [{"question_id": at, "answer": "x"} for at in (1, 2)]
    assert warned("unknown-predictions", "textvqa", *files) == {"accuracy": 1.0}
    refused("predictions for unknown questions: 1", "textvqa", *files, strict=True)


# vizwiz


def shown(image: str = "a", answers: int = 10, **fields: Any) -> dict[str, Any]:
    known = {"image": image, "question": "What?", "answers": [{"answer": "x"}] * answers}
    return {**known, "answer_type": "other", "answerable": 1, **fields}


@case("vizwiz", "an image without a prediction")
def _(_: Path) -> None:
    files = [shown("a"), shown("b")], [{"image": "a", "answer": "x"}]
    refused(r"questions without a prediction: 1 \(first ids: 'b'\)", "vizwiz", *files)
    assert official("vizwiz", *files, on_missing="zero")["accuracy"]["overall"] == 50.0
    assert official("vizwiz", *files, on_missing="skip")["accuracy"]["overall"] == 100.0


@case("vizwiz", "`answerable` in some predictions only")
def _(_: Path) -> None:
    gold = [shown("a", answerable=0), shown("b")]
    answers = [{"image": "a", "answer": "x", "answerable": 0.0}, {"image": "b", "answer": "x"}]
    refused(r"without the part 'answerable': 1 \(first ids: 'b'\)", "vizwiz", gold, answers)
    for rule in ("zero", "skip"):
        assert official("vizwiz", gold, answers, on_missing=rule)["unanswerability"]["f1_score"] == 100.0


@case("vizwiz", "a question without gold answers")
def _(_: Path) -> None:
    refused("questions without any gold answer: 1 .*'a'", "vizwiz", [shown(answers=0)], [{"image": "a", "answer": "x"}])


@case("vizwiz", "an answer is null or a number")
def _(_: Path) -> None:
    for answer in (None, 5):
        refused("'a'", "vizwiz", [shown()], [{"image": "a", "answer": answer, "answerable": 1}])


@case("vizwiz", "an image twice in the predictions, the last without a part")
def _(_: Path) -> None:
    answers = [{"image": "a", "answer": "x", "answerable": 0.9}, {"image": "a", "answerable": 0.1}]
    found = warned("repeated-predictions", "vizwiz", [shown(answerable=0)], answers)
    assert found["accuracy"]["overall"] == 100.0  # the answer of the first
    assert found["unanswerability"]["f1_score"] == 100.0  # the belief of the last


@case("vizwiz", "BLEU, METEOR, ROUGE-L and CIDEr of the answers")
def _(_: Path) -> None:
    found = official("vizwiz", [shown()], [{"image": "a", "answer": "x", "answerable": 1.0}])
    assert set(found) == {"accuracy", "unanswerability"}


# gqa


def gqa_question(**fields: Any) -> dict[str, Any]:
    types = {"structural": "verify", "semantic": "attr", "detailed": "verifyAttr"}
    known = {"question": "Is it red?", "answer": "yes", "isBalanced": True, "types": types, "semantic": []}
    return {**known, "groups": {"global": "color"}, "entailed": [], **fields}


GQA_ANSWER = [{"questionId": "1", "prediction": "yes"}]


@case("gqa", "a prediction is missing")
def _(_: Path) -> None:
    gold = {"1": gqa_question(), "2": gqa_question()}
    refused(r"questions without a prediction: 1 \(first ids: '2'\)", "gqa", gold, GQA_ANSWER)
    assert official("gqa", gold, GQA_ANSWER, on_missing="zero")["accuracy"] == 50.0
    assert official("gqa", gold, GQA_ANSWER, on_missing="skip")["accuracy"] == 100.0


@case("gqa", "ids of predictions written as numbers")
def _(_: Path) -> None:
    assert official("gqa", {"1": gqa_question()}, [{"questionId": 1, "prediction": "yes"}])["accuracy"] == 100.0


@case("gqa", "the choices file lacks a question, an entailed id is unknown")
def _(_: Path) -> None:
    choices = {"2": {"valid": [], "plausible": []}}
    refused("there is no entry for the question '1'", "gqa", {"1": gqa_question()}, GQA_ANSWER, choices=choices)
    gold = {"1": gqa_question(entailed=["9"])}
    refused("the question '1' entails '9', which is not among", "gqa", gold, GQA_ANSWER, consistency=True)


@case("gqa", "`types.detailed` is a number, with `--choices`")
def _(_: Path) -> None:
    gold = {"1": gqa_question(types={"structural": "verify", "semantic": "attr", "detailed": 5})}
    choices = {"1": {"valid": ["yes"], "plausible": ["yes"]}}
    refused(r"'types\.detailed' of the question '1' must be a text", "gqa", gold, GQA_ANSWER, choices=choices)


@case("gqa", "no balanced question, or none with a group")
def _(_: Path) -> None:
    refused("no question is balanced", "gqa", {"1": gqa_question(isBalanced=False)}, GQA_ANSWER)
    refused("no balanced question has a global group", "gqa", {"1": gqa_question(groups={"global": None})}, GQA_ANSWER)
    table = [{"id": "1", "prediction": "yes", "references": ["yes"], "structural": "verify"}]
    assert official("gqa", table)["distribution"] is None


@case("gqa", "grounding")
def _(_: Path) -> None:
    assert "grounding" not in official("gqa", {"1": gqa_question()}, GQA_ANSWER)


# docvqa, infovqa, stvqa

RRC = ("docvqa", "infovqa")


def documents(*answers: Any, **fields: Any) -> dict[str, Any]:
    return {
        "dataset_name": "d",
        "data": [{"questionId": at, "answers": each} for at, each in enumerate(answers)],
        **fields,
    }


def submission(*answers: Any) -> Rows:
    return [{"questionId": at, "answer": answer} for at, answer in enumerate(answers)]


@shared_case(RRC, "one answer missing, or one for an unknown question")
def _(name: str, _: Path) -> None:
    gold = documents(["cat"], ["dog"])
    refused(r"questions without a prediction: 1 \(first ids: 1\)", name, gold, submission("cat"))
    assert official(name, gold, submission("cat"), on_missing="zero") == {"score": 0.5}
    assert official(name, gold, submission("cat"), on_missing="skip") == {"score": 1.0}
    three = submission("cat", "dog", "cow")
    refused(r"predictions for unknown questions: 1 \(first ids: 2\)", name, gold, three)
    assert official(name, gold, three, strict=False) == {"score": 1.0}


@shared_case(RRC, "an id twice in the submission alone")
def _(name: str, _: Path) -> None:
    files = documents(["cat"]), [*submission("dog"), *submission("cat")]
    refused("predictions with a repeated id: 1", name, *files)
    assert official(name, *files, on_duplicate="first") == {"score": 0.0}
    assert official(name, *files, on_duplicate="last") == {"score": 1.0}


@shared_case(RRC, "a question twice in the gold alone")
def _(name: str, _: Path) -> None:
    gold = {"data": [{"questionId": 0, "answers": [text]} for text in ("cat", "dog")]}
    refused("questions with a repeated id: 1", name, gold, submission("cat"))
    for rule in ("first", "last"):
        assert warned("repeated-questions", name, gold, submission("cat"), on_duplicate=rule) == {"score": 0.5}


@shared_case(RRC, "ids as texts in one file and as numbers in the other")
def _(name: str, _: Path) -> None:
    assert official(name, documents(["cat"]), [{"questionId": "0", "answer": "cat"}]) == {"score": 1.0}


@shared_case(RRC, "gold without `dataset_name`")
def _(name: str, _: Path) -> None:
    assert official(name, {"data": documents(["cat"])["data"]}, submission("cat")) == {"score": 1.0}


@shared_case(RRC, "an answer that is a list, null or a number; no gold answers")
def _(name: str, _: Path) -> None:
    for answer in (["cat"], None, 5):
        refused("predictions that are not strings: 1 .*0 has", name, documents(["cat"]), submission(answer))
    refused(r"questions without any gold answer: 1 \(first ids: 0\)", name, documents([]), submission("cat"))


@shared_case(RRC, "no question at all")
def _(name: str, _: Path) -> None:
    refused("there is no question in it", name, documents(), submission("cat"))


@case("docvqa", "`--answer-types`")
def _(_: Path) -> None:
    gold = {"data": [{"questionId": 0, "answers": ["cat"], "question_types": ["form", "layout"]}]}
    found = official("docvqa", gold, submission("cat"), answer_types=True)
    assert found == {"score": 1.0, "scores_by_types": {"question_types": {"form": 1.0, "layout": 1.0}}}


@case("infovqa", "`--answer-types` and a type that no question has, or one outside the published table")
def _(_: Path) -> None:
    typed = {"answer_type": ["image span"], "evidence": ["text"], "operation/reasoning": []}
    row = {"questionId": 0, "answers": ["cat"], **typed}
    refused("no question has one of the answer_types", "infovqa", {"data": [row]}, submission("cat"), answer_types=True)
    odd = {"data": [{**row, "answer_type": ["sung"]}]}
    refused("'sung' is none of the published answer_types", "infovqa", odd, submission("cat"), answer_types=True)
    assert set(fullmarks.score("infovqa", odd, submission("cat")).by("answer_type")) == {"sung"}


@case("infovqa", "the script's `-a False`")
def _(folder: Path) -> None:
    for name, content in (("gold", documents(["cat"])), ("answers", submission("cat"))):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    words = ["score", "infovqa", str(folder / "gold.json"), str(folder / "answers.json"), "--no-answer-types"]
    assert run_command([*words, "-o", str(folder / "result.json")]) == 0
    assert json.loads((folder / "result.json").read_text(encoding="utf-8")) == {"score": 1.0}


def scenes(*answers: Any) -> dict[str, Any]:
    return {"data": [{"question_id": at, "answers": each} for at, each in enumerate(answers)]}


@case("stvqa", "answer and a gold answer both empty without white space")
def _(_: Path) -> None:
    refused(
        r"empty answers to questions with an empty gold answer: 1 \(first ids: 0\)", "stvqa", scenes([" "]), results("")
    )


@case("stvqa", "no gold answers, no questions")
def _(_: Path) -> None:
    refused("questions without any gold answer: 1", "stvqa", scenes([]), results("x"))
    refused("there is no question in it", "stvqa", scenes(), results("x"))


@case("stvqa", "pairing")
def _(_: Path) -> None:
    gold = scenes(["cat"], ["dog"])
    assert official("stvqa", gold, results("cat", "dog")[::-1]) == {"anls": 1.0, "accuracy": 1.0}
    refused("questions without a prediction: 1", "stvqa", gold, results("cat"))
    refused("predictions for unknown questions: 1", "stvqa", gold, results("cat", "dog", "cow"))
    refused("predictions with a repeated id: 1", "stvqa", gold, [*results("cat", "dog"), *results("cow")])


# chartqa


def chart(number: int, **fields: Any) -> dict[str, Any]:
    return {"imgname": f"{number}.png", "query": "How much?", **fields}


@case("chartqa", "a prediction missing or too many")
def _(_: Path) -> None:
    gold = [chart(at, label="5") for at in range(2)]
    one = [chart(0, prediction="5")]
    refused("questions without a prediction: 1", "chartqa", gold, one)
    assert official("chartqa", gold, one, on_missing="zero") == {"relaxed_accuracy": 50.0}
    assert official("chartqa", gold, one, on_missing="skip") == {"relaxed_accuracy": 100.0}
    refused("predictions for unknown questions: 1", "chartqa", gold, [chart(at, prediction="5") for at in range(3)])
    refused("3 predictions for 2 questions", "chartqa", gold, ["5", "5", "5"])


@case("chartqa", "a gold or a prediction that is a JSON number")
def _(_: Path) -> None:
    refused(r"\[0\]: 'label' must be a text", "chartqa", [chart(0, label=5)], [chart(0, prediction="5")])
    refused(
        "predictions that are not strings: 1 .*0 has a number",
        "chartqa",
        [chart(0, label="5")],
        [chart(0, prediction=5)],
    )


@case("chartqa", "files in different order")
def _(_: Path) -> None:
    gold = [chart(at, label=str(at)) for at in (1, 2)]
    assert official("chartqa", gold, [chart(at, prediction=str(at)) for at in (2, 1)]) == {"relaxed_accuracy": 100.0}
    asked = [{"query": "Other?", "prediction": "1"}, {"query": "How much?", "prediction": "2"}]
    refused("query", "chartqa", gold, asked)


# ocrbench


def ocr_row(**fields: Any) -> dict[str, Any]:
    return {
        "dataset_name": "svt",
        "id": 1,
        "answers": ["x"],
        "type": "Regular Text Recognition",
        "predict": "x",
        **fields,
    }


@case("ocrbench", "not 1,000 rows, and a data set without any")
def _(_: Path) -> None:
    refused("there are 1 rows and not 1000, .* where there is none: IIIT5K", "ocrbench", [ocr_row()])


@case("ocrbench", "`predict` null; an unknown type")
def _(_: Path) -> None:
    refused("predictions that are not strings: 1 .*'svt 1'", "ocrbench", [ocr_row(predict=None)], variant="lmms-eval")
    refused("'Poetry' is none of OCRBench's types", "ocrbench", [ocr_row(id=at, type="Poetry") for at in range(1000)])


@case("ocrbench", "a missing prediction")
def _(_: Path) -> None:
    rows = [ocr_row(id=at) for at in range(1000)]
    del rows[0]["predict"]
    assert warned("missing-predictions", "ocrbench", rows)["Final Score"] == 999
    refused("questions without a prediction: 1", "ocrbench", rows, on_missing="error")


# pope


def labels(*texts: str) -> Rows:
    asked = enumerate(texts, start=1)
    return [{"question_id": at, "image": f"{at}.jpg", "text": f"Is there a {at}?", "label": text} for at, text in asked]


def said(*texts: str) -> Rows:
    return [{"question": f"Is there a {at}?", "answer": text} for at, text in enumerate(texts, start=1)]


@case("pope", "fewer answers than labels")
def _(_: Path) -> None:
    gold, answers = labels("yes", "no", "yes"), said("yes", "no")
    refused("2 answers without the gold's ids for 3 questions", "pope", gold, answers)
    assert official("pope", gold, answers, on_missing="skip")["Accuracy"] == 1.0


@case("pope", "an answer is missing or repeated")
def _(_: Path) -> None:
    gold, answers = labels("yes", "no", "yes"), said("yes", "no", "yes")
    refused("record 2 asks 'Is there a 3", "pope", gold, [answers[0], answers[2]], on_missing="skip")
    refused("record 2 asks 'Is there a 1", "pope", gold, [answers[0], *answers[:2]])
    twice = [{"question_id": at, "answer": "yes"} for at in (1, 2, 3, 1)]
    refused(r"predictions with a repeated id: 1 \(first ids: 1\)", "pope", gold, twice)


@case("pope", "more answers than labels")
def _(_: Path) -> None:
    refused("3 answers without the gold's ids for 2 questions", "pope", labels("yes", "no"), said("yes", "no", "yes"))
    rows = [{"question_id": at, "answer": text} for at, text in enumerate(("yes", "no", "yes"), start=1)]
    refused("predictions for unknown questions: 1", "pope", labels("yes", "no"), rows)
    assert official("pope", labels("yes", "no"), rows, strict=False)["Yes ratio"] == 0.5


@case("pope", "LLaVA's answers (random split of 2910) against the 3000 labels of today")
def _(_: Path) -> None:
    """The same in small: of four answers three are for questions of the gold, which has five."""
    gold = labels("yes", "no", "yes", "no", "yes")
    questions = [{**row, "question_id": 100 + at, "category": "random"} for at, row in enumerate(labels(*["yes"] * 4))]
    questions[3]["text"] = "Is there another?"
    answers = [{"question_id": row["question_id"], "prompt": row["text"], "text": "no"} for row in questions]
    refused(
        r"no single category has exactly the 5 questions .*'random' 3 of 4", "pope", gold, answers, questions=questions
    )
    given = {"questions": questions, "category": "random"}
    refused(r"without a prediction: 2 .*unknown questions: 1 ", "pope", gold, answers, **given)


@case("pope", "no true positive")
def _(_: Path) -> None:
    files = labels("yes", "no"), said("no", "no")
    refused("TP 0, FP 0, TN 1, FN 1: without a true positive", "pope", *files)
    assert official("pope", *files, variant="lmms-eval")["pope_f1_score"] == 0.0


@case("pope", "a label other than yes and no")
def _(_: Path) -> None:
    assert warned("other-labels", "pope", labels("maybe"), said("yes"))["TP"] == 1


@case("pope", "a missing answer under `--on-missing zero`")
def _(_: Path) -> None:
    found = official("pope", labels("yes", "yes", "no"), {"1": "yes", "3": "no"}, on_missing="zero")
    assert {name: found[name] for name in ("TP", "FP", "TN", "FN")} == {"TP": 1, "FP": 0, "TN": 1, "FN": 0}
    assert (found["Accuracy"], found["Recall"]) == (2 / 3, 0.5)


# mme


def mme_folder(folder: Path, *existence: str) -> Path:
    """A folder of results in which all tasks are right but existence, which has these lines."""
    from fullmarks.protocols.mme.rules import TASKS

    for task in TASKS:
        lines = existence if task == "existence" and existence else mme_pair("a.jpg")
        (folder / f"{task}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def mme_pair(image: str, first: str = "Yes", second: str = "No") -> tuple[str, str]:
    return f"{image}\tIs it?\tYes\t{first}", f"{image}\tIs it not?\tNo\t{second}"


def existence(found: Any) -> float:
    score: float = found["Perception"]["existence"]
    return score


@case("mme", "lines missing so that pairs are shifted")
def _(folder: Path) -> None:
    lines = (*mme_pair("a"), *mme_pair("b"), *mme_pair("c"))
    refused(r"images without exactly two questions: 2 \(first ids: 'a', 'c'\)", "mme", mme_folder(folder, *lines[1:-1]))


@case("mme", "lines of an image apart from each other")
def _(folder: Path) -> None:
    (a, b), (c, d) = mme_pair("a"), mme_pair("b", "No", "Yes")
    assert existence(warned("mixed-images", "mme", mme_folder(folder, a, c, b, d))) == 100.0


@case("mme", "the same pair twice")
def _(folder: Path) -> None:
    right, wrong = mme_pair("a"), mme_pair("b", "No", "Yes")
    found = warned("repeated-images", "mme", mme_folder(folder, *right, *right, *wrong))
    assert existence(found) == pytest.approx(200 * 2 / 3)


@case("mme", "a file is missing")
def _(folder: Path) -> None:
    (mme_folder(folder) / "OCR.txt").unlink()
    refused("there is no file for OCR", "mme", folder)


@case("mme", "a file of no task")
def _(folder: Path) -> None:
    (mme_folder(folder) / "poetry.txt").write_text("x\n", encoding="utf-8")
    assert noted("other-files", "mme", folder)["Perception"]["total score"] == 2000.0


@case("mme", "an odd number of lines, a tab or line break in an answer, a right answer other than yes and no")
def _(folder: Path) -> None:
    one, two = mme_pair("a")
    refused("images without exactly two questions: 1", "mme", mme_folder(folder, one))
    refused("line 1: .*found 5 fields", "mme", mme_folder(folder, f"{one}\tmore", two))
    refused("line 2: .*found 1 fields", "mme", mme_folder(folder, one, "more", two))
    refused(
        "line 2: expected Yes or No .*found 'Maybe'", "mme", mme_folder(folder, one, two.replace("\tNo\t", "\tMaybe\t"))
    )


@case("mme", "no answer of a task says yes or no; an empty file")
def _(folder: Path) -> None:
    mme_folder(folder, *mme_pair("a", "maybe", "perhaps"))
    refused("'existence' says", "mme", folder)
    assert official("mme", folder, variant="lmms-eval")["mme_perception_score"] == 1800.0
    (folder / "existence.txt").write_text("", encoding="utf-8")
    refused("existence.txt: the file is empty", "mme", folder)


# mmmu

MATH = "validation_Math_1"
RAW = {"id": MATH, "question_type": "multiple-choice", "answer": "B", "response": "(B)"}
OPTIONS = {"all_choices": ["A", "B"], "index2ans": {"A": "red", "B": "a whale"}}


def mmmu_gold(kind: str = "multiple-choice", truth: str = "B") -> dict[str, Any]:
    return {MATH: {"question_type": kind, "ground_truth": truth}}


@case("mmmu", "no prediction at all")
def _(_: Path) -> None:
    refused("there is no prediction in it", "mmmu", mmmu_gold(), {})


@case("mmmu", "a prediction for an unknown question of a known subject")
def _(_: Path) -> None:
    answers = {MATH: "B", "validation_Math_2": "A"}
    refused("unknown questions of a known subject: 1 .*'validation_Math_2'", "mmmu", mmmu_gold(), answers)


@case("mmmu", "null or a number for an open question")
def _(_: Path) -> None:
    for answer in (None, 5):
        refused(f"open answers that are not texts: 1 .*'{MATH}'", "mmmu", mmmu_gold("open", "5"), {MATH: answer})


@case("mmmu", "a question without `question_type`")
def _(_: Path) -> None:
    refused(rf"\['{MATH}'\]: the field 'question_type' is missing", "mmmu", {MATH: {"ground_truth": "B"}}, {MATH: "B"})
    row = {name: value for name, value in {**RAW, **OPTIONS}.items() if name != "question_type"}
    refused(f"'{MATH}': the field 'question_type' is missing", "mmmu", [row], variant="raw")
    assert official("mmmu", [row], variant="pro")["accuracy"] == 100.0


@case("mmmu", "`all_choices` that are no texts")
def _(_: Path) -> None:
    row = {**RAW, **OPTIONS, "all_choices": [1, 2]}
    refused(f"'{MATH}': 'all_choices' must hold texts, found a number", "mmmu", [row], variant="raw")


@case("mmmu", "numbers in `index2ans`, where the options' texts are looked for")
def _(_: Path) -> None:
    row = {**RAW, **OPTIONS, "index2ans": {"A": 5, "B": 7}, "response": "so it must surely be 7 then"}
    assert official("mmmu", [row], variant="raw")["Math"]["acc"] == 1.0


@case("mmmu", "MMMU-Pro with other than 1730 rows")
def _(_: Path) -> None:
    row = {"id": "test_1", "options": "['red', 'blue']", "answer": "B", "response": "Answer: B"}
    assert official("mmmu", [row], variant="pro") == {"accuracy": 100.0, "random_guesses": 0}


# scienceqa


def science(**fields: Any) -> dict[str, Any]:
    return {"choices": ["a", "b"], "answer": 0, "split": "test", **fields}


@case("scienceqa", "other than 4241 results")
def _(_: Path) -> None:
    assert (
        warned("other-number-of-results", "scienceqa", {"1": science()}, {"results": {"1": 0}})["acc_average"]
        == "100.00"
    )


@case("scienceqa", "a problem of the split without result")
def _(_: Path) -> None:
    files = {"1": science(), "2": science()}, {"results": {"1": 0}}
    refused("questions without a prediction: 1 .*'2'", "scienceqa", *files)
    assert official("scienceqa", *files, on_missing="zero")["acc_average"] == "50.00"
    assert official("scienceqa", *files, on_missing="skip")["acc_average"] == "100.00"


@case("scienceqa", "a letter or null as result")
def _(_: Path) -> None:
    for result in ("A", None):
        refused("results that are no whole number: 1 .*'1'", "scienceqa", {"1": science()}, {"results": {"1": result}})


@case("scienceqa", "LLaVA: ids as numbers")
def _(_: Path) -> None:
    rows = [{"question_id": 1, "prompt": "<image> Which?", "text": "A"}]
    assert official("scienceqa", {"1": science()}, rows, variant="llava")["acc"] == 100.0


@case("scienceqa", 'LLaVA: no prompt with "<image>"')
def _(_: Path) -> None:
    rows = [{"question_id": "1", "prompt": "Which?", "text": "A"}]
    refused("no prompt has '<image>'", "scienceqa", {"1": science()}, rows, variant="llava")
    assert official("scienceqa", {"1": science()}, {"1": "A"}, variant="llava")["img_acc"] is None


@case("scienceqa", "no problem has a subject, grade, topic, hint or image")
def _(_: Path) -> None:
    found = official("scienceqa", {"1": science()}, {"results": {"1": 0}})
    groups = ("acc_natural", "acc_grade_1_6", "acc_verbs", "acc_has_text", "acc_has_image", "acc_no_context")
    assert [found[name] for name in groups] == [-1] * 6


# mathvista


def vista(**fields: Any) -> dict[str, Any]:
    known = {"question_type": "multi_choice", "answer_type": "text", "choices": ["cat", "dog"], "precision": None}
    return {**known, "answer": "dog", "extraction": "B", "metadata": {"skills": ["s"]}, **fields}


@case("mathvista", "skills with equal accuracy")
def _(_: Path) -> None:
    output = {"1": vista(metadata={"skills": ["z", "m"]}), "2": vista(metadata={"skills": ["a"]})}
    assert list(official("mathvista", output)["skills"]) == ["z", "m", "a"]


@case("mathvista", "problems missing from the output file")
def _(_: Path) -> None:
    files = {"1": vista(), "2": vista()}, {"1": vista()}
    assert warned("missing-predictions", "mathvista", *files)["average"]["total"] == 1
    refused("questions without a prediction: 1", "mathvista", *files, on_missing="error")


@case("mathvista", "`--max_num_problems` k")
def _(_: Path) -> None:
    found = official("mathvista", {"1": vista(), "2": vista(extraction="A")}, limit=1)
    assert found["average"]["total"] == found["question_type"]["multi_choice"]["total"] == 1


@case("mathvista", "no extraction, no metadata, no answer, no choices, another answer type")
def _(_: Path) -> None:
    for field in ("extraction", "metadata", "answer"):
        output = {"1": {name: value for name, value in vista().items() if name != field}}
        refused(f"problem '1': the field '{field}' is missing", "mathvista", output)
    refused("problem '1': 'choices' must be a list of texts", "mathvista", {"1": vista(choices=None)})
    odd = {"1": vista(question_type="free_form", answer_type="poem")}
    refused("problem '1': the answer type of a free answer must be one of", "mathvista", odd)


@case("mathvista", "a stored `true_false`")
def _(_: Path) -> None:
    assert official("mathvista", {"1": vista(true_false=False)})["average"]["correct"] == 1


@case("mathvista", "an empty file")
def _(_: Path) -> None:
    refused("there is no question in it", "mathvista", {})


# webqa

GUIDS = ["Guid", "Qcate", "Q", "A", "Keywords_A", "Output"]


def web_row(guid: str = "g", category: str = "color", keywords: str = "red", output: Any = ("red",)) -> list[Any]:
    return [guid, category, "Which?", ["It is red."], keywords, list(output)]


def web_table(folder: Path, *rows: list[Any], header: list[str] | None = None) -> Path:
    cells = [[cell if isinstance(cell, str) else json.dumps(cell) for cell in row] for row in (header or GUIDS, *rows)]
    path = folder / "outputs.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in cells), encoding="utf-8")
    return path


SIMPLE = {"spacy_model": "simple"}


@case("webqa", "fluency")
def _(folder: Path) -> None:
    """The model's own float32 log-probabilities are added in float64."""
    torch = pytest.importorskip("torch", reason="needs torch: make test-all")
    pytest.importorskip("transformers", reason="needs transformers: make test-all")
    from fullmarks.backends.bart import SequenceScorer
    from tests.backends.tiny_models import save_tiny_bart

    scorer = SequenceScorer(save_tiny_bart(folder / "bart"), device="cpu")
    source, target = scorer.tokenize(["the cat sat", "a cat sat on a mat"])
    labels = torch.tensor([target])
    with torch.inference_mode():
        logits = scorer._network(input_ids=torch.tensor([source]), labels=labels).logits
        losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), labels, reduction="none")[0]
    total = 0.0
    for loss in losses.tolist():
        total += loss
    assert scorer.score_batch([source], [target]) == [-total / len(target)]


@case("webqa", "`EM` of colours, shapes, yes or no")
def _(folder: Path) -> None:
    rows = [web_row("g", keywords="red and blue", output=["blue, red"])]
    assert official("webqa", web_table(folder, *rows), **SIMPLE)["EM"] == 1.0


@case("webqa", "another version of spaCy's model")
def _(folder: Path) -> None:
    assert "|lemmas:simple|" in fullmarks.score("webqa", web_table(folder, web_row()), **SIMPLE).signature


@case("webqa", "an empty list of candidates")
def _(folder: Path) -> None:
    assert warned("no-candidates", "webqa", web_table(folder, web_row(output=())), **SIMPLE)["acc_avg"] == 0.0


@case("webqa", "a category does not occur")
def _(folder: Path) -> None:
    found = official("webqa", web_table(folder, web_row()), **SIMPLE)
    assert "color" in found
    assert "shape" not in found


@case("webqa", "broken JSON in a cell, a missing column, a row with too few cells")
def _(folder: Path) -> None:
    bad = web_row()
    bad[5] = '["red"'
    table = web_table(folder, web_row(), bad, ["h", *bad[1:]])
    refused(r"line 3: 'Output' must be a JSON list, .*\(and 1 more bad: line 4\)", "webqa", table, **SIMPLE)
    refused("there is no column 'Output'", "webqa", web_table(folder, web_row(), header=[*GUIDS[:5], "Mine"]), **SIMPLE)
    refused("line 2: 5 cells where the header has 6", "webqa", web_table(folder, web_row()[:5]), **SIMPLE)


@case("webqa", "an unknown category")
def _(folder: Path) -> None:
    refused(
        "line 2: 'Qcate' is the unknown category 'colour'",
        "webqa",
        web_table(folder, web_row(category="colour")),
        **SIMPLE,
    )
    from fullmarks.webqa import webqa_metrics_approx

    with pytest.raises(fullmarks.UsageError, match="Qcate must be one of"):
        webqa_metrics_approx("red", "red", Qcate="colour")


@case("webqa", "keywords are `TBD`")
def _(folder: Path) -> None:
    row = web_row(category="text", keywords="TBD", output=["tbd"])
    assert warned("secret-keywords", "webqa", web_table(folder, row), **SIMPLE)["acc_avg"] == 1.0


@case("webqa", "a Guid twice in the table")
def _(folder: Path) -> None:
    table = web_table(folder, web_row("g"), web_row("g", output=["blue"]), web_row("h"), web_row("i"))
    refused("predictions with a repeated id: 1", "webqa", table, **SIMPLE)
    each = warned("repeated-predictions", "webqa", table, on_duplicate="each", **SIMPLE)
    assert each["acc_avg"] == pytest.approx(0.75, abs=1e-5)  # F1 of a right answer is 1 - 5e-6 in the program
    assert official("webqa", table, on_duplicate="first", **SIMPLE)["n"] == 3
    assert official("webqa", table, on_duplicate="last", **SIMPLE)["acc_avg"] == pytest.approx(2 / 3, abs=1e-5)


# fusionbrain


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def image(name: str) -> dict[str, Any]:
    return {"type": "image", "content": name}


def options(*content: str) -> dict[str, Any]:
    return {"type": "text", "content": list(content)}


def contest(task: str, gold: Any, answer: Any, **given: Any) -> fullmarks.Result:
    """The result of one question of a sub-task."""
    for package in ("pymorphy3", "razdel"):
        pytest.importorskip(package, reason=f"needs {package}: make test-all")
    files = {"q": gold}, {"q": answer}
    return fullmarks.score("fusionbrain", *files, task=task, synonyms="none", inception="none", **given)


def embeddings(folder: Path, vectors: dict[str, list[float]]) -> str:
    import numpy as np

    path = folder / "embeddings.npz"
    np.savez(path, names=np.array(list(vectors)), vectors=np.array(list(vectors.values())))
    return str(path)


@case("fusionbrain", "NLTK 3.10 or later is installed")
def _(_: Path) -> None:
    before = contest("VisualQA", [options("дом река")], [text("дом—река")])
    later = contest("VisualQA", [options("дом река")], [text("дом—река")], nltk="3.10")
    assert (before.official["VisualQA"]["score"], "|nltk:3.9|" in before.signature) == (0.0, True)
    assert later.official["VisualQA"]["score"] == pytest.approx(20 / 21, abs=1e-12)


@case("fusionbrain", "CLIP, FID")
def _(folder: Path) -> None:
    """The same vectors in float64: exact where float32 is some 1e-8 off."""
    clip = embeddings(folder, {"red": [1.0, 2.0, 3.0], "a.png": [3.0, 2.0, 1.0]})
    asked = {"q": [text("Нарисуй."), text("red")]}
    found = contest("ImageGeneration", [image("g.png")], [text(""), image("a.png")], clip=clip, input=asked)
    assert found.official["ImageGeneration"]["CLIP"] == pytest.approx(10 / 14, rel=1e-15)


@case("fusionbrain", "an answer is an empty list")
def _(_: Path) -> None:
    for task in ("TextQA", "MathQA", "TRitW", "VisualQA"):
        found = contest(task, [options("дом")], [])
        assert found.official[task]["score"] == 0.0
        assert found.audit.findings["empty-lists"].level == "warning"


@case("fusionbrain", "numbers in answers to VisualQA")
def _(_: Path) -> None:
    for answer, score in (("of no 3", 1.0), ("inf 3", 1.0), ("nan 3", 1.0), ("1e400 3", 0.0), ("of no three", 1.0)):
        assert contest("VisualQA", [options("3")], [text(answer)]).official["VisualQA"]["score"] == score


@case("fusionbrain", "FID")
def _(folder: Path) -> None:
    """Files that nobody names are not looked at, and an image that cannot be read is left out."""
    pytest.importorskip("PIL", reason="needs pillow: make test-all")
    for package in ("pymorphy3", "razdel"):
        pytest.importorskip(package, reason=f"needs {package}: make test-all")
    from PIL import Image

    for name in ("gold/1.png", "gold/2.png", "gold/other.png", "images/1.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        Image.new("RGB", (8, 8), "red").save(folder / name)
    (folder / "gold/other.txt").write_text("no image", encoding="utf-8")
    (folder / "images/2.png").write_text("no image", encoding="utf-8")
    gold = {str(at): [image(f"gold/{at}.png")] for at in (1, 2)}
    answers = {str(at): [text(""), image(f"images/{at}.png")] for at in (1, 2)}
    given = {"images": str(folder), "gold_images": str(folder), "clip": "none", "synonyms": "none"}
    audit = fullmarks.validate("fusionbrain", gold, answers, task="ImageGeneration", **given)
    assert not audit.at_level("error")
    assert audit.findings["unreadable-images"].first_ids == ["2"]


@case("fusionbrain", "a bare element instead of a list")
def _(folder: Path) -> None:
    assert contest("TRitW", options("да"), text("да")).official["TRitW"]["score"] == 1.0
    clip = embeddings(folder, {"red": [1.0, 0.0], "a.png": [1.0, 0.0]})
    asked = {"q": text("Нарисуй. red")}
    found = contest("ImageGeneration", [image("g.png")], [text(""), image("a.png")], clip=clip, input=asked)
    assert found.official["ImageGeneration"]["CLIP"] == 1.0


@case("fusionbrain", "an input of neither one nor two elements")
def _(folder: Path) -> None:
    for package in ("pymorphy3", "razdel"):
        pytest.importorskip(package, reason=f"needs {package}: make test-all")
    clip = embeddings(folder, {"red": [1.0, 0.0], "blue": [0.0, 1.0], "a.png": [1.0, 0.0]})
    asked = {"1": [text("x"), text("red")], "2": [text("x"), text("blue"), text("y")]}
    gold, answers = {key: [image("g.png")] for key in asked}, {key: [text(""), image("a.png")] for key in asked}
    given = {"task": "ImageGeneration", "clip": clip, "inception": "none", "synonyms": "none", "input": asked}
    found = warned("text-of-question-before", "fusionbrain", gold, answers, **given)
    assert found["ImageGeneration"]["CLIP"] == 1.0
    assert official("fusionbrain", gold, answers, **given, variant="document")["ImageGeneration"]["CLIP"] == 0.5


@case("fusionbrain", "a question has nothing that CLIP could compare with")
def _(folder: Path) -> None:
    clip = embeddings(folder, {"дом": [1.0, 0.0]})
    with pytest.raises(fullmarks.InputError, match=r"id 'q' \(ImageCaptioning\) has no image to describe"):
        contest("ImageCaptioning", [options("дом")], [text("дом")], clip=clip, input={"q": [text("Опиши.")]})


@case("fusionbrain", "a question has no prediction")
def _(_: Path) -> None:
    gold, answers = {"a": [options("да")], "b": [options("да")]}, {"a": [text("да")]}
    refused(r"questions without a prediction: 1 \(first ids: 'b'\)", "fusionbrain", gold, answers, task="TRitW")
    for rule, score in (("zero", 0.5), ("skip", 1.0)):
        assert official("fusionbrain", gold, answers, task="TRitW", on_missing=rule)["TRitW"]["score"] == score


@case("fusionbrain", "the same id twice in a file")
def _(folder: Path) -> None:
    gold, answers = json.dumps([options("да")]), [json.dumps([text(word)]) for word in ("нет", "да")]
    (folder / "once.json").write_text(f'{{"a": {gold}}}', encoding="utf-8")
    (folder / "twice.json").write_text(f'{{"a": {gold}, "a": {gold}}}', encoding="utf-8")
    (folder / "answers.json").write_text(f'{{"a": {answers[0]}, "a": {answers[1]}}}', encoding="utf-8")
    refused("questions with a repeated id: 1", "fusionbrain", folder / "twice.json", {"a": [text("да")]}, task="TRitW")
    files = folder / "once.json", folder / "answers.json"
    refused("predictions with a repeated id: 1", "fusionbrain", *files, task="TRitW")
    for rule, score in (("first", 0.0), ("last", 1.0)):
        assert official("fusionbrain", *files, task="TRitW", on_duplicate=rule)["TRitW"]["score"] == score
