"""MLQA: the published program's digits in seven languages, the harness's Arabic, gaps and errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.testing import assert_official

LANGUAGES = ("en", "es", "de", "ar", "hi", "vi", "zh")


def runs(folder: Path, file: str = "expected.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / file).read_text(encoding="utf-8"))["runs"]
    return found


def gold_of(**golds: list[str]) -> dict[str, Any]:
    qas = [{"id": name, "answers": [{"text": text} for text in texts]} for name, texts in golds.items()]
    return {"version": "1.0", "data": [{"title": "t", "paragraphs": [{"context": "", "qas": qas}]}]}


def check_every_run(folder: Path) -> None:
    found = runs(folder)
    assert len(found) >= 7
    for name, run in found.items():
        language = run.get("language", name)
        assert_official("mlqa", folder / run["gold"], folder / run["predictions"], run["official"], language=language)


def test_every_run_of_the_published_program(golden_files: Path) -> None:
    check_every_run(golden_files / "mlqa")


def test_every_run_on_real_data(real_data: Path) -> None:
    check_every_run(real_data / "mlqa")


def test_every_question_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "mlqa"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["per_question"]
    for language in LANGUAGES:
        files = folder / f"gold_{language}.json", folder / f"predictions_{language}.json"
        result = fullmarks.score("mlqa", *files, language=language)
        for record in result.per_example:
            wanted = expected[str(record["id"])]
            assert (record["exact"], record["f1"]) == (wanted["exact_match"], pytest.approx(wanted["f1"], abs=1e-12))


def test_every_single_case_of_the_published_program(golden_files: Path) -> None:
    cases = json.loads((golden_files / "mlqa" / "answers.json").read_text(encoding="utf-8"))["cases"]
    for language in LANGUAGES:
        own = [case for case in cases if case["language"] == language]
        gold = gold_of(**{str(at): case["golds"] for at, case in enumerate(own)})
        answers = {str(at): case["prediction"] for at, case in enumerate(own)}
        found = [
            (record["exact"], record["f1"])
            for record in fullmarks.score("mlqa", gold, answers, language=language).per_example
        ]
        assert len(own) >= 200
        assert found == [(case["em"], pytest.approx(case["f1"], abs=1e-12)) for case in own]


@pytest.mark.parametrize("language", ["ar", "zh", "en"])
def test_the_harness(golden_files: Path, language: str) -> None:
    folder = golden_files / "mlqa"
    wanted = runs(folder, "variants.json")[language]
    files = folder / f"gold_{language}.json", folder / f"predictions_{language}.json"
    expected = {name: wanted[name] for name in ("exact_match", "f1")}
    result = assert_official("mlqa", *files, expected, language=language, variant="lm-eval")
    assert (result.n, result.scale) == (wanted["total"], 1.0)


# Confirmed with mlqa_evaluation_v1.py of facebookresearch/MLQA at 24bf470b, Python 3.11.7.
def test_gaps_and_repeats_are_as_in_the_published_program() -> None:
    gold = gold_of(a=["x"], b=["y"])
    result = fullmarks.score("mlqa", gold, {"a": "x", "z": "?"}, language="en")
    assert result.official == {"exact_match": 50.0, "f1": 50.0}
    assert [finding.level for finding in result.audit.findings.values()] == ["warning", "warning"]
    gold["data"][0]["paragraphs"][0]["qas"].append({"id": "a", "answers": [{"text": "other"}]})
    twice = fullmarks.score("mlqa", gold, {"a": "x", "b": "y"}, language="en")
    assert (twice.n, twice.official["exact_match"]) == (3, 200.0 / 3)
    assert fullmarks.score("mlqa", gold_of(a=[""]), {"a": ""}, language="en").official == {
        "exact_match": 100.0,
        "f1": 0.0,
    }


def test_a_repeated_prediction_is_the_last(tmp_path: Path) -> None:
    answers = tmp_path / "predictions.json"
    answers.write_text('{"a": "y", "a": "x"}')
    result = fullmarks.score("mlqa", gold_of(a=["x"]), str(answers), language="en")
    assert result.official["exact_match"] == 100.0
    assert result.audit.findings["repeated-predictions"].count == 1


def test_gold_answers_are_looked_at_only_where_there_is_a_prediction() -> None:
    gold = gold_of(a=["x"], b=[])
    assert fullmarks.score("mlqa", gold, {"a": "x"}, language="en").official["exact_match"] == 50.0
    with pytest.raises(fullmarks.MismatchError, match=r"without any gold answer: 1 \(first ids: 'b'\)"):
        fullmarks.score("mlqa", gold, {"a": "x", "b": "y"}, language="en")


def test_the_language_must_be_given_and_known() -> None:
    with pytest.raises(fullmarks.UsageError, match=r"needs the language of the answers: pass --language en\|es\|de"):
        fullmarks.score("mlqa", gold_of(a=["x"]), {"a": "x"})
    with pytest.raises(fullmarks.UsageError, match=r"language must be one of 'en', .*, found 'fr'"):
        fullmarks.score("mlqa", gold_of(a=["x"]), {"a": "x"}, language="fr")


def test_both_languages_are_in_the_signature_and_held_against_the_name(tmp_path: Path) -> None:
    gold = tmp_path / "test-context-ar-question-de.json"
    gold.write_text(json.dumps(gold_of(a=["x"])))
    options = {"language": "ar", "question_language": "de"}
    told = fullmarks.score("mlqa", str(gold), {"a": "x"}, **options)
    assert told.signature.startswith("mlqa|norm:mlqa-ar|context:ar|question:de|variant:script|missing:zero|")
    assert not told.audit.findings
    other = fullmarks.score("mlqa", str(gold), {"a": "x"}, language="en", question_language="en")
    assert [finding.detail for finding in other.audit.at_level("warning")] == [
        "'ar' by its name, 'en' by the option",
        "'de' by its name, 'en' by the option",
    ]


def test_explanations_and_crosscheck_show_the_arabic_article() -> None:
    gold, answers = gold_of(a=["رجال"]), {"a": "رج"}
    why = fullmarks.explain("mlqa", gold, answers, id="a", language="ar")
    assert why.scores == {"exact": 1.0, "f1": 1.0}
    assert why.facts["recipe"] == "mlqa-ar"
    (rule,) = fullmarks.crosscheck("mlqa", gold, answers, language="ar").rules
    assert (rule.name, rule.scores["exact"]) == ("variant lm-eval", 0.0)
