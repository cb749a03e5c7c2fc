"""TriviaQA: the published program's digits for every form of its files, and lm-evaluation-harness's reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official

RUNS = ("wikipedia", "wikipedia_missing", "web", "web_missing", "verified_web", "verified_web_missing")


def folder(golden_files: Path) -> Path:
    return golden_files / "triviaqa"


def file_of(*questions: dict[str, Any], domain: str = "Wikipedia", verified: bool = False, version: float = 1.0) -> Any:
    return {"Version": version, "Domain": domain, "VerifiedEval": verified, "Data": list(questions)}


def question(identifier: str = "1", aliases: tuple[str, ...] = ("x",), **others: Any) -> dict[str, Any]:
    answer = {"NormalizedAliases": list(aliases), **others.pop("answer", {})}
    return {"QuestionId": identifier, "Answer": answer, **others}


def result(em: float, f1: float, *counts: int) -> dict[str, Any]:
    names = ("exact_match", "f1", "common", "denominator", "pred_len", "gold_len")
    return dict(zip(names, (em, f1, *counts), strict=True))


@pytest.mark.parametrize("name", RUNS)
def test_golden_runs(golden_files: Path, name: str) -> None:
    run = json.loads((folder(golden_files) / "expected.json").read_text())["runs"][name]
    found = assert_official(
        "triviaqa", folder(golden_files) / run["gold"], folder(golden_files) / run["predictions"], run["official"]
    )
    assert found.audit.gold == run["official"]["gold_len"]


def test_golden_answers_of_single_questions(golden_files: Path) -> None:
    wanted = json.loads((folder(golden_files) / "expected.json").read_text())["per_question"]
    for form in ("wikipedia", "web"):
        gold, predictions = (folder(golden_files) / f"{part}_{form}.json" for part in ("gold", "predictions"))
        each = {f"{form}:{row['id']}": row for row in fullmarks.score("triviaqa", gold, predictions).per_example}
        assert [(row["exact"], row["f1"]) for row in each.values()] == [
            (wanted[key]["exact_match"], pytest.approx(wanted[key]["f1"], abs=1e-12)) for key in each
        ]


def test_golden_cases(golden_files: Path) -> None:
    cases = json.loads((folder(golden_files) / "answers.json").read_text())["cases"]
    rows = fullmarks.load("answer_scores", recipe="triviaqa").metric.rows(
        fullmarks.types.Examples(
            range(len(cases)), [case["prediction"] for case in cases], [case["golds"] for case in cases]
        )
    )
    assert rows[0::2].tolist() == [case["em"] for case in cases]
    assert rows[1::2].tolist() == pytest.approx([case["f1"] for case in cases], abs=1e-12)


@pytest.mark.parametrize("name", ["lm_eval", "lm_eval_without_stop_strings"])
def test_golden_variants(golden_files: Path, name: str) -> None:
    known = json.loads((folder(golden_files) / "variants.json").read_text())
    gold, predictions = folder(golden_files) / known["gold"], folder(golden_files) / known["predictions"]
    found = assert_official("triviaqa", gold, predictions, known["runs"][name], variant=name)
    assert {row["id"]: row["exact"] for row in found.per_example} == {
        key: each[name] for key, each in known["per_question"].items()
    }
    assert "norm:triviaqa-lm-eval" in found.signature
    rules = {rule.name: rule.scores for rule in fullmarks.crosscheck("triviaqa", gold, predictions).rules}
    assert rules[f"variant {name}"]["exact"] == pytest.approx(known["runs"][name]["exact_match"], abs=1e-12)


def test_published_sample(real_data: Path) -> None:
    data = real_data / "triviaqa"
    expected = json.loads((data / "expected.json").read_text())["official"]
    assert_official("triviaqa", data / "gold.json", data / "predictions.json", expected)


# tiny inputs and what the published program printed for them, Python 3.11.7
WEB = question(EntityPages=[{"Filename": "a.txt"}], SearchResults=[{"Filename": "b.txt"}])
TINY = [
    (file_of(question(aliases=("",))), {"1": ""}, result(100.0, 0.0, 1, 1, 1, 1)),
    (file_of(question(), question("2")), {"1": "x"}, result(50.0, 50.0, 1, 2, 1, 2)),
    (file_of(question()), {"1": "x", "9": "y"}, result(100.0, 100.0, 1, 1, 2, 1)),
    (
        file_of(question(aliases=(), answer={"HumanAnswers": ["The X"]})),
        {"1": "x"},
        result(100.0, 100.0, 1, 1, 1, 1),
    ),
    (
        file_of(question(aliases=("y",), answer={"Aliases": ["X"], "Value": "X"})),
        {"1": "X"},
        result(0.0, 0.0, 1, 1, 1, 1),
    ),
    (file_of(question(), question(aliases=("y",))), {"1": "x"}, result(0.0, 0.0, 1, 1, 1, 1)),
    (file_of(WEB, domain="Web"), {"1--a.txt": "x"}, result(50.0, 50.0, 1, 2, 1, 2)),
    (
        file_of(question(QuestionPartOfVerifiedEval=True, EntityPages=[]), verified=True),
        {"1": "x"},
        result(100.0, 100.0, 1, 1, 1, 1),
    ),
    (file_of(question(), version=1.1), {"1": "x"}, result(100.0, 100.0, 1, 1, 1, 1)),
    (
        file_of(question(EntityPages=[{"Filename": "a.txt"}]), domain="unfiltered"),
        {"1--a.txt": "x"},
        result(100.0, 100.0, 1, 1, 1, 1),
    ),
]


@pytest.mark.parametrize(("gold", "predictions", "expected"), TINY)
def test_tiny_inputs(gold: Any, predictions: dict[str, str], expected: dict[str, Any]) -> None:
    assert_official("triviaqa", gold, predictions, expected)


def test_what_the_program_does_in_silence_is_counted() -> None:
    twice = fullmarks.score("triviaqa", file_of(question(), question(aliases=("y",))), {"1": "y"})
    assert twice.audit.findings["repeated-questions"].count == 1
    other = fullmarks.score("triviaqa", file_of(question(), version=1.1), {"1": "x"})
    assert "'Version' is 1.1" in other.audit.findings["other-version"].detail


def test_verified_web_files_keep_verified_documents_only() -> None:
    pages = [
        {"Filename": "a.txt", "DocPartOfVerifiedEval": False},
        {"Filename": "b.txt", "DocPartOfVerifiedEval": True},
    ]
    kept = question(QuestionPartOfVerifiedEval=True, EntityPages=pages)
    dropped = question("2", QuestionPartOfVerifiedEval=False, EntityPages=pages)
    gold = file_of(kept, dropped, domain="Web", verified=True)
    assert list(fullmarks.score("triviaqa", gold, {"1--b.txt": "x"}).tally.examples.ids) == ["1--b.txt"]
    gold = file_of(question(QuestionPartOfVerifiedEval=True, EntityPages=pages[:1]), domain="Web", verified=True)
    with pytest.raises(fullmarks.InputError, match="the verified question '1' has no verified document"):
        fullmarks.score("triviaqa", gold, {"1--a.txt": "x"})


def test_where_the_program_crashes_there_is_an_error() -> None:
    without = file_of(question(aliases=()), question("2"))
    with pytest.raises(fullmarks.MismatchError, match="questions without any gold answer: 1"):
        fullmarks.score("triviaqa", without, {"1": "x", "2": "x"})
    assert fullmarks.score("triviaqa", without, {"2": "x"}).official["exact_match"] == 50.0  # it is never looked at
    with pytest.raises(fullmarks.MismatchError, match="predictions that are not strings"):
        fullmarks.score("triviaqa", file_of(question()), {"1": None})
    with pytest.raises(fullmarks.InputError, match="there is no question in it"):
        fullmarks.score("triviaqa", file_of(), {"1": "x"})
    with pytest.raises(fullmarks.MismatchError, match=r"ids such as '1--a\.txt'"):
        fullmarks.score("triviaqa", file_of(WEB, domain="Web"), {"1": "x"})


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ({"Domain": "Web", "Data": []}, "the field 'VerifiedEval' is missing, found 'Domain', 'Data'"),
        ({"Domain": "Web", "VerifiedEval": "no", "Data": []}, "'VerifiedEval' must be true or false, found a string"),
        (file_of({"QuestionId": "1"}), r"Data\[0\]: the field 'Answer' is missing"),
        (
            file_of({"QuestionId": "1", "Answer": {"NormalizedAliases": "x"}}),
            "'NormalizedAliases' must be a list of texts",
        ),
        (file_of(question(EntityPages=[{}]), domain="Web"), r"EntityPages\[0\]: the field 'Filename' is missing"),
        (file_of(question(), verified=True), "the field 'QuestionPartOfVerifiedEval' is missing"),
        ({"Domain": "Web", "VerifiedEval": False, "Data": {}}, "'Data' must be a list, found an object"),
    ],
)
def test_broken_files_are_named_by_place(gold: Any, message: str) -> None:
    with pytest.raises(fullmarks.InputError, match=message):
        fullmarks.score("triviaqa", gold, {"1": "x"})


def test_an_id_that_is_a_list_is_named_whatever_the_predictions_are() -> None:
    with pytest.raises(fullmarks.InputError, match="the id of question 1 must be a string or a whole number, found a"):
        fullmarks.score("triviaqa", file_of({**question(), "QuestionId": ["a"]}), {"1": ["x"]})


def test_slices_and_documents_of_a_question(golden_files: Path) -> None:
    gold, predictions = (folder(golden_files) / f"{part}_web.json" for part in ("gold", "predictions"))
    found = fullmarks.score("triviaqa", gold, predictions, by="answer_type")
    assert sum(each["n"] for each in found.by("answer_type").values()) == found.n
    assert len(found.by("question_id")) < found.n


def test_explanation_names_the_alias_that_counts() -> None:
    gold = file_of(question(aliases=("gull s point", "point")))
    told = fullmarks.explain("triviaqa", gold, {"1": "Gull's Point!"}, id="1")
    assert told.facts["best reference"] == "gull s point"
    assert told.scores == {"exact": 1.0, "f1": 1.0}
    gold = file_of(question(answer={"Aliases": ["New York"]}))
    told = fullmarks.explain("triviaqa", gold, {"1": "New York, NY"}, id="1", variant="lm_eval")
    assert (told.scores, told.facts["cut"]) == ({"exact": 1.0}, "New York")
    assert told.tables["references"] == [{"reference": "New York", "normalised": "new york", "exact": 1.0}]


def test_tables_and_scale_of_a_variant() -> None:
    rows = [
        {"id": "a", "prediction": "The U.S.", "references": ["U S"]},
        {"id": "b", "prediction": "", "references": ["x"]},
    ]
    assert fullmarks.score("triviaqa", rows).official == result(50.0, 50.0, 2, 2, 2, 2)
    found = fullmarks.score("triviaqa", rows, variant="lm_eval_without_stop_strings")
    assert (found.official, found.scale) == ({"exact_match": 0.0, "total": 2}, 1.0)


def test_ids_that_are_numbers_in_the_gold_alone_are_counted() -> None:
    found = fullmarks.score("triviaqa", file_of(question(1)), {"1": "x"})  # type: ignore[arg-type]
    assert found.official == result(100.0, 100.0, 1, 1, 1, 1)  # the published program: 0 common
    finding = found.audit.findings["ids-of-another-kind"]
    assert (finding.level, finding.count, finding.first_ids) == ("warning", 1, ["1"])


@pytest.mark.parametrize("aliases", [5, "x", [None]])
def test_aliases_are_not_looked_at_by_the_published_program(aliases: Any) -> None:
    gold = file_of(question(answer={"Aliases": aliases}))
    assert fullmarks.score("triviaqa", gold, {"1": "x"}).official == result(100.0, 100.0, 1, 1, 1, 1)
    with pytest.raises(fullmarks.InputError, match="'Aliases' must be a list of texts"):
        fullmarks.score("triviaqa", gold, {"1": "x"}, variant="lm_eval")


def test_a_null_for_an_unknown_question_is_only_unknown() -> None:
    found = fullmarks.score("triviaqa", file_of(question()), {"1": "x", "2": None})
    assert found.official == result(100.0, 100.0, 1, 1, 2, 1)
    assert list(found.audit.findings) == ["unknown-predictions"]
