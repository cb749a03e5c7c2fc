"""The cases of SQuAD 1.1, SQuAD 2.0, XQuAD and MLQA."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import fullmarks
from fullmarks.analysis.crosscheck import crosscheck
from tests.repository import golden_folder
from tests.whole.card_rows.checking import NULL, SETS, Case, all_of, all_refused, file, refused, scored


def question(identifier: str, *answers: str) -> dict[str, Any]:
    return {"id": identifier, "answers": [{"text": text} for text in answers]}


def squad(*questions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**fields, "data": [{"title": "t", "paragraphs": [{"qas": list(questions)}]}]}


ONE = squad(question("a", "cat"))
TWO = squad(question("a", "cat"), question("b", "dog"))
RIGHT = {"exact_match": 100.0, "f1": 100.0}


def missing_in_squad1(folder: Path) -> None:
    scored("squad1", TWO, {"a": "cat"}, wanted={"exact_match": 50.0, "f1": 50.0}, warning="missing-predictions")


def unknown_in_squad(benchmark: str, key: str) -> Case:
    def case(folder: Path) -> None:
        given = {"a": "cat", "z": "cat"}
        scored(benchmark, ONE, given, wanted={key: 100.0}, warning="unknown-predictions")
        refused("predictions for unknown questions: 1", benchmark, ONE, given, strict=True)

    return case


def repeated_in_squad(benchmark: str, key: str) -> Case:
    def case(folder: Path) -> None:
        predictions = file(folder, "predictions.json", '{"a": "dog", "a": "cat"}')
        refused("predictions with a repeated id: 1", benchmark, ONE, predictions)
        for rule, value in (("first", 0.0), ("last", 100.0)):
            wanted = {key: value}
            scored(benchmark, ONE, predictions, wanted=wanted, warning="repeated-predictions", on_duplicate=rule)

    return case


def no_references_in_squad1(folder: Path) -> None:
    gold = squad(question("a", "cat"), question("b"))
    refused(
        r"without any gold answer: 1 \(first ids: 'b'\); for SQuAD 2.0 files use squad2", "squad1", gold, {"b": "x"}
    )
    scored("squad1", gold, {"a": "cat"}, wanted={"exact_match": 50.0, "f1": 50.0}, warning="missing-predictions")


def twice_in_squad1(folder: Path) -> None:
    gold = squad(question("a", "cat"), question("a", "dog"))
    scored("squad1", gold, {"a": "cat"}, wanted={"exact_match": 50.0, "f1": 50.0}, warning="repeated-questions")


def sets_of_words(benchmark: str, key: str) -> Case:
    def case(folder: Path) -> None:
        found = fullmarks.score(benchmark, squad(question("a", "red")), {"a": "red red"}).official
        assert (round(found["f1"], 2), found[key]) == (66.67, 0.0)

    return case


def digits_of_3_11(folder: Path) -> None:
    golden = golden_folder() / "squad2"
    options = {"na_prob_file": golden / "na_prob.json", "na_prob_thresh": 0.5}
    check = crosscheck("squad2", golden / "gold.json", golden / "predictions.json", **options)
    published = json.loads((golden / "expected.json").read_text())["thresholded_0.5"]
    (later,) = [rule for rule in check.rules if rule.name == "python-3.12"]
    assert check.official == published
    assert later.official == {**published, "HasAns_f1": 51.70400496760329}
    assert later.official != published


def missing_in_squad2(folder: Path) -> None:
    refused("questions without a prediction: 1", "squad2", TWO, {"a": "cat"})
    for rule, wanted in (("zero", {"exact": 50.0, "total": 2}), ("skip", {"exact": 100.0, "total": 1})):
        scored("squad2", TWO, {"a": "cat"}, wanted=wanted, warning="missing-predictions", on_missing=rule)


def unknown_probability(folder: Path) -> None:
    chances = {"a": 0.5, "z": 0.1}
    wanted = {"exact": 100.0, "best_exact": 100.0, "pr_oracle_ap": 100.0}
    options: dict[str, Any] = {"na_prob_file": chances, "precision_recall": True}
    scored("squad2", ONE, {"a": "cat"}, wanted=wanted, warning="unknown-probabilities", **options)


def odd_probabilities(folder: Path) -> None:
    for number, chance in enumerate(("NaN", "Infinity", "true", "1" + "0" * 400)):
        chances = file(folder, f"{number}.json", f'{{"a": {chance}}}')
        refused(r"not finite numbers: 1 \(first ids: 'a'\)", "squad2", ONE, {"a": "cat"}, na_prob_file=chances)


def twice_in_squad2(folder: Path) -> None:
    gold = squad(question("a", "cat"), question("a", "dog"))
    scored("squad2", gold, {"a": "dog"}, wanted={"exact": 100.0, "total": 1}, warning="repeated-questions")


def no_common(benchmark: str, gold: Any = ONE, **options: Any) -> Case:
    return all_refused(
        ("there is no prediction in it", benchmark, gold, {}),
        ("not one of them for any question", benchmark, gold, {"z": "cat"}),
        **options,
    )


def other_version(benchmark: str, **options: Any) -> Case:
    def case(folder: Path) -> None:
        for version in ("7.0", 7):
            scored(benchmark, squad(question("a", "cat"), version=version), {"a": "cat"}, wanted=RIGHT, **options)

    return case


def newer_punctuation(folder: Path) -> None:
    mark = "\U0001e5ff"  # punctuation since Unicode 16
    is_mark = unicodedata.category(mark).startswith("P")
    found = fullmarks.score("mlqa", ONE, {"a": f"cat{mark}"}, language="en").official
    assert found["exact_match"] == (100.0 if is_mark else 0.0)


def null_in_squad(benchmark: str, wanted: dict[str, Any], **options: Any) -> Case:
    def case(folder: Path) -> None:
        for odd in (None, 5):
            refused(r"not strings: 1 \(first ids: 'a'\)", benchmark, ONE, {"a": odd}, **options)
            given = {"a": "cat", "z": odd}
            scored(benchmark, ONE, given, wanted=wanted, warning="unknown-predictions", **options)

    return case


SQUAD = {
    "squad1": {
        "a question has no prediction": missing_in_squad1,
        "a prediction belongs to no question": unknown_in_squad("squad1", "exact_match"),
        "the same id twice in the predictions": repeated_in_squad("squad1", "exact_match"),
        "a prediction is null or a number": null_in_squad("squad1", RIGHT),
        "no question at all": all_refused(("there is no question in it", "squad1", squad(), {"a": "x"})),
        "a question has no gold answer": no_references_in_squad1,
        "a question is there twice in the gold": twice_in_squad1,
        "no prediction at all, or none that meets a question": no_common("squad1"),
        SETS: sets_of_words("squad1", "exact_match"),
    },
    "squad2": {
        "Python 3.12 or later": digits_of_3_11,
        "a question has no prediction": missing_in_squad2,
        "a prediction belongs to no question": unknown_in_squad("squad2", "exact"),
        "a no-answer probability belongs to no question": unknown_probability,
        "a no-answer probability is NaN, infinite, true or too large for a float": odd_probabilities,
        "the same id twice in the predictions": repeated_in_squad("squad2", "exact"),
        "a prediction is null or a number": null_in_squad("squad2", {"exact": 100.0}),
        "no question at all": all_refused(("there is no question in it", "squad2", squad(), {"a": "x"})),
        "a question is there twice in the gold": twice_in_squad2,
        SETS: sets_of_words("squad2", "exact"),
    },
    "xquad": {
        "no prediction at all, or none that meets a question": no_common("xquad"),
        "a predicted question without gold answers": all_refused(
            (r"without any gold answer: 1 \(first ids: 'a'\)", "xquad", squad(question("a")), {"a": "x"})
        ),
        NULL: null_in_squad("xquad", RIGHT),
        "`version` other than 1.1": other_version("xquad"),
    },
    "mlqa": {
        "no language, or an unknown one": all_of(
            all_refused(("language", "mlqa", ONE, {"a": "cat"})),
            all_refused(("language.*'xx'", "mlqa", ONE, {"a": "cat"}), language="xx"),
        ),
        "no prediction at all, or none that meets a question": no_common("mlqa", language="en"),
        "a predicted question without gold answers": all_refused(
            (r"without any gold answer: 1 \(first ids: 'a'\)", "mlqa", squad(question("a")), {"a": "x"}), language="en"
        ),
        NULL: null_in_squad("mlqa", RIGHT, language="en"),
        "`version` other than 1.0": other_version("mlqa", language="en"),
        "punctuation that newer Unicode versions add": newer_punctuation,
    },
}
