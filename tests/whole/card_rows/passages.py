"""The cases of DROP, CoQA, Qasper and LongBench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fullmarks
from tests.whole.card_rows.checking import (
    NULL,
    NUMBER_AND_TEXT,
    all_refused,
    file,
    gives,
    lines,
    met_by_text,
    only_unknown,
    refused,
    scored,
)


def drop(*answers: Any, identifier: Any = "q") -> dict[str, Any]:
    answer, *validated = answers or ({"spans": ["x"]},)
    return {"p": {"qa_pairs": [{"query_id": identifier, "answer": answer, "validated_answers": validated}]}}


DROP_RIGHT = {"global_em": 1.0, "global_f1": 1.0}


def drop_of(count: int) -> dict[str, Any]:
    pairs = [{"query_id": f"q{at}", "answer": {"spans": ["x"]}, "validated_answers": []} for at in range(count)]
    return {"p": {"qa_pairs": pairs}}


def missing_in_drop(folder: Path) -> None:
    half = {"global_em": 0.5, "global_f1": 0.5}
    scored("drop", drop_of(2), {"q0": "x"}, wanted=half, warning="missing-predictions")
    refused("questions without a prediction: 1", "drop", drop_of(2), {"q0": "x"}, on_missing="error")


def unknown_in_drop(folder: Path) -> None:
    scored("drop", drop(), {"q": "x", "z": "x"}, wanted=DROP_RIGHT, warning="unknown-predictions")
    refused("predictions for unknown questions: 1", "drop", drop(), {"q": "x", "z": "x"}, strict=True)


def repeated_in_drop(folder: Path) -> None:
    predictions = file(folder, "predictions.json", '{"q": "y", "q": "x"}')
    scored("drop", drop(), predictions, wanted=DROP_RIGHT, warning="repeated-predictions")
    refused("predictions with a repeated id: 1", "drop", drop(), predictions, on_duplicate="error")


def twice_in_drop(folder: Path) -> None:
    pairs = [{"query_id": "q", "answer": {"spans": [text]}, "validated_answers": []} for text in ("x", "y")]
    half = {"global_em": 0.5, "global_f1": 0.5}
    scored("drop", {"p": {"qa_pairs": pairs}}, {"q": "x"}, wanted=half, warning="repeated-questions")


def no_prediction_kind_of_drop(folder: Path) -> None:
    for odd in (5, {"answer": "x"}):
        refused(r"not strings: 1 \(first ids: 'q'\)", "drop", drop(), {"q": odd})
        scored("drop", drop(), {"q": "x", "z": odd}, wanted=DROP_RIGHT, warning="unknown-predictions")


def nothing_said_in_drop(folder: Path) -> None:
    refused("question 'q': an answer has neither", "drop", drop({"spans": []}), {"q": "x"})
    pairs = drop_of(1)["p"]["qa_pairs"] + drop({})["p"]["qa_pairs"]
    gold = {"p": {"qa_pairs": pairs}}
    refused(r"questions with an empty answer: 1 \(first ids: 'q'\)", "drop", gold, {"q0": "x", "q": "x"})
    scored("drop", gold, {"q0": "x"}, wanted={"global_em": 0.5}, warning="missing-predictions")


def nothing_validated_in_drop(folder: Path) -> None:
    pairs = drop_of(1)["p"]["qa_pairs"] + drop({"spans": ["x"]}, {})["p"]["qa_pairs"]
    for given in ({"q0": "x", "q": "x"}, {"q0": "x"}):
        refused("question 'q': an answer has neither", "drop", {"p": {"qa_pairs": pairs}}, given)


ANSWER = {"input_text": "cat", "turn_id": 1}


def story(identifier: Any = "s", source: str = "cnn", **fields: Any) -> dict[str, Any]:
    answers = [ANSWER]
    whole = {"id": identifier, "source": source, "questions": [{"input_text": "?", "turn_id": 1}], "answers": answers}
    return {"data": [{**whole, "additional_answers": {}, **fields}]}


def turn(answer: Any = "cat", number: Any = 1, identifier: Any = "s") -> dict[str, Any]:
    return {"id": identifier, "turn_id": number, "answer": answer}


COQA_RIGHT = {"overall": {"em": 100.0, "f1": 100.0, "turns": 1}}


def annotators(folder: Path) -> None:
    without = {"data": [{name: value for name, value in story()["data"][0].items() if name != "additional_answers"}]}
    refused(r"data\[0\].*'additional_answers' is missing", "coqa", without, [turn()])
    fewer = story(additional_answers={"0": []})
    refused(r"data\[0\]: annotator '0' has 0 answers for 1 questions", "coqa", fewer, [turn()])


def displaced(folder: Path) -> None:
    gold = story(questions=[{"input_text": "?", "turn_id": 5}])
    scored("coqa", gold, [turn(number=5)], wanted=COQA_RIGHT, warning="displaced-turns")


def not_whole(folder: Path) -> None:
    for odd in (1.0, "1", 1.5):
        gold = story(questions=[{"input_text": "?", "turn_id": odd}])
        refused(r"data\[0\].questions\[0\].turn_id: expected a whole number", "coqa", gold, [turn()])


def text_as_turn(folder: Path) -> None:
    gold = {"data": story()["data"] + story("t")["data"]}
    half = {"overall": {"em": 50.0, "f1": 50.0, "turns": 2}}
    scored("coqa", gold, [turn(number="1"), turn(identifier="t")], wanted=half, warning="bad-turn-ids")


def people(folder: Path) -> None:
    refused("turns that only one annotator answered: 1", "coqa", story(), human=True)


def paper(*answers: Any, identifier: Any = "q") -> dict[str, Any]:
    return {"p": {"qas": [{"question_id": identifier, "answers": [{"answer": answer} for answer in answers]}]}}


NOTHING = {"unanswerable": False, "extractive_spans": [], "free_form_answer": "", "yes_no": None, "evidence": []}
SPAN = {**NOTHING, "extractive_spans": ["x"], "evidence": ["e"]}
QASPER_RIGHT = {"Answer F1": 1.0, "Evidence F1": 1.0}


def row(answer: str = "x", evidence: Any = ("e",), identifier: Any = "q") -> dict[str, Any]:
    evidence = list(evidence) if isinstance(evidence, tuple) else evidence
    return {"question_id": identifier, "predicted_answer": answer, "predicted_evidence": evidence}


def papers(*identifiers: str, text: str = "x") -> dict[str, Any]:
    asked = [
        {"question_id": each, "answers": [{"answer": {**SPAN, "extractive_spans": [text]}}]} for each in identifiers
    ]
    return {"p": {"qas": asked}}


def missing_in_qasper(folder: Path) -> None:
    wanted = {"Answer F1": 0.5, "Evidence F1": 0.5, "Missing predictions": 1}
    scored("qasper", papers("q", "r"), [row()], wanted=wanted, warning="missing-predictions")
    refused("questions without a prediction: 1", "qasper", papers("q", "r"), [row()], on_missing="error")


def unknown_in_qasper(folder: Path) -> None:
    given = [row(), row(identifier="z")]
    scored("qasper", paper(SPAN), given, wanted=QASPER_RIGHT, warning="unknown-predictions")
    refused("predictions for unknown questions: 1", "qasper", paper(SPAN), given, strict=True)


def repeated_in_qasper(folder: Path) -> None:
    given = [row("y"), row("x")]
    scored("qasper", paper(SPAN), given, wanted=QASPER_RIGHT, warning="repeated-predictions")
    first = {"Answer F1": 0.0}
    scored("qasper", paper(SPAN), given, wanted=first, warning="repeated-predictions", on_duplicate="first")


def twice_in_qasper(folder: Path) -> None:
    gold = {**papers("q", text="y"), "other": papers("q")["p"]}
    scored("qasper", gold, [row()], wanted=QASPER_RIGHT, warning="repeated-questions")


def half_a_prediction(folder: Path) -> None:
    def without(name: str, identifier: str) -> dict[str, Any]:
        return {field: value for field, value in row(identifier=identifier).items() if field != name}

    for name in ("predicted_answer", "predicted_evidence"):
        given = [row(), without(name, "r")]
        refused(r"with an answer or evidence only: 1 \(first ids: 'r'\)", "qasper", papers("q", "r"), given)
    alone = file(folder, "predictions.jsonl", lines(without("predicted_evidence", "q")))
    result = scored("qasper", paper(SPAN), alone, wanted={"Answer F1": 1.0}, warning="answers-alone")
    assert "Evidence F1" not in result.official


def blank_line_of_qasper(folder: Path) -> None:
    scored("qasper", paper(SPAN), file(folder, "p.jsonl", "\n" + lines(row()) + "\n"), wanted=QASPER_RIGHT)


def record(prediction: str = "x", answers: Any = ("x",), **fields: Any) -> dict[str, Any]:
    answers = list(answers) if isinstance(answers, tuple) else answers
    return {"pred": prediction, "answers": answers, "all_classes": None, "length": 100, **fields}


def other_data_sets(folder: Path) -> None:
    for name, rule in (("gov_report", "ROUGE"), ("trec", "class"), ("passage_count", "count"), ("lcc", "edit")):
        refused(f"the data set '{name}' is scored by .*{rule}", "longbench", {name: [record()]})
    refused("the data set 'passage_retrieval_en' is scored by", "longbench", {"passage_retrieval_en": [record()]})


def order_of_data_sets(folder: Path) -> None:
    given = {"triviaqa": [record()], "hotpotqa": [record()], "2wikimqa": [record()]}
    assert list(fullmarks.score("longbench", given).official) == ["2wikimqa", "hotpotqa", "triviaqa"]


def empty_file(folder: Path) -> None:
    file(folder, "hotpotqa.jsonl", "")
    refused("there is no record in it", "longbench", folder)
    file(folder, "2wikimqa.jsonl", lines(record()))
    for e in (False, True):
        refused("hotpotqa.jsonl: there is no record in it", "longbench", folder, e=e)


def two_files(folder: Path) -> None:
    for name in ("hotpotqa.jsonl", "hotpotqa.second.jsonl"):
        file(folder, name, lines(record()))
    refused("two files of the data set 'hotpotqa'", "longbench", folder)


PASSAGES = {
    "drop": {
        "a question without a prediction": missing_in_drop,
        "predictions for unknown questions": unknown_in_drop,
        "an id twice in the predictions": repeated_in_drop,
        "a question twice in the gold": twice_in_drop,
        "every gold answer blank": gives(
            "drop", drop({"spans": [" "]}), {"q": "x"}, wanted={"global_em": 0.0}, warning="blank-references"
        ),
        "a prediction that is a number or an object": no_prediction_kind_of_drop,
        "an answer without number, spans and date": nothing_said_in_drop,
        "a validated answer without number, spans and date": nothing_validated_in_drop,
        "`spans` that are a text": all_refused(
            ("question 'q': 'spans' must be a list of texts", "drop", drop({"spans": "abc"}), {"q": "x"})
        ),
        NUMBER_AND_TEXT: met_by_text("drop", drop(identifier=1), {"1": "x"}, DROP_RIGHT),
        "no question at all": all_refused(("there is no question in it", "drop", {}, {"q": "x"})),
    },
    "coqa": {
        "a source that is none of the seven": all_refused(
            ("the source 'quora' is none of CoQA's", "coqa", story(source="quora"), [turn()])
        ),
        "no `additional_answers`, or an annotator with fewer turns": annotators,
        "no prediction at all, or none that meets a turn": all_refused(
            ("there is no prediction in it", "coqa", story(), []),
            ("not one of them for any question", "coqa", story(), [turn(number=2)]),
        ),
        "a `turn_id` of the gold that is not the turn's position": displaced,
        "a `turn_id` of the gold that is not written as a whole number": not_whole,
        "a predicted `turn_id` that is a text": text_as_turn,
        'the id of a story is 7 in one file and "7" in the other': met_by_text(
            "coqa", story(7), [turn(identifier="7")], COQA_RIGHT
        ),
        "a predicted story id that is a list or an object": all_refused(
            ("record 1: 'id' must be a string or a whole number", "coqa", story(), [turn(identifier=["s"])]),
            ("record 1: 'id' must be a string or a whole number", "coqa", story(), [turn(identifier={})]),
        ),
        NULL: only_unknown("coqa", story(), [turn()], [turn(None)], [turn(), turn(5, number=2)], COQA_RIGHT),
        "`--human` with a single annotator": people,
        "`--human` and predictions": all_refused(
            ("leave the predictions out", "coqa", story(additional_answers={"0": [ANSWER]}), [turn()]), human=True
        ),
    },
    "qasper": {
        "a question without a prediction": missing_in_qasper,
        "predictions for unknown questions": unknown_in_qasper,
        "an id twice in the predictions": repeated_in_qasper,
        "a question twice in the gold": twice_in_qasper,
        "a prediction without answer or evidence": half_a_prediction,
        "predicted evidence that is a text": all_refused(
            (r"part 'evidence' is not a list: 1 \(first ids: 'q'\)", "qasper", paper(SPAN), [row(evidence="e")])
        ),
        NUMBER_AND_TEXT: met_by_text("qasper", paper(SPAN, identifier=1), [row(identifier="1")], QASPER_RIGHT),
        "a blank line in the predictions": blank_line_of_qasper,
        "a predicted question without annotators": all_refused(
            (r"without any gold answer: 1 \(first ids: 'q'\)", "qasper", paper(), [row()])
        ),
        "an annotator's answer that says nothing": all_refused(
            ("question 'q': an answer is neither unanswerable nor has it spans", "qasper", paper(NOTHING), [row()])
        ),
        "no prediction for any question": all_refused(
            ("not one of them for any question", "qasper", paper(SPAN), [row(identifier="z")])
        ),
    },
    "longbench": {
        "the data sets of LongBench with other rules: summaries, classes, retrieval, counts, code": other_data_sets,
        "order of the data sets": order_of_data_sets,
        "an empty file": empty_file,
        "`answers` that are a text": gives(
            "longbench",
            {"hotpotqa": [record("y", "xyz"), record("xyz", "xyz")]},
            wanted={"hotpotqa": 50.0},
            warning="lone-texts",
        ),
        "an unknown data set, `hotpotqa_e` too": all_refused(
            ("'squad' is no data set of LongBench.*hotpotqa", "longbench", {"squad": [record()]}),
            ("'hotpotqa_e' is no data set of LongBench.*hotpotqa", "longbench", {"hotpotqa_e": [record()]}),
        ),
        "no `all_classes`": gives(
            "longbench", {"hotpotqa": [{"pred": "x", "answers": ["x"]}]}, wanted={"hotpotqa": 100.0}
        ),
        "`--e` where a line has no `length`": all_refused(
            (
                "record 2: 'length' must be a number, found null",
                "longbench",
                {"hotpotqa": [record(), record(length=None)]},
            ),
            e=True,
        ),
        "two files of one data set": two_files,
    },
}
