"""Other rules give the numbers that they describe, and name the examples behind every difference."""

from __future__ import annotations

import json
import random
import string

import pytest

import fullmarks
from fullmarks.analysis.crosscheck import alternatives, crosscheck, crosscheck_result
from fullmarks.metrics.other_rules import RuledOverlap, RuledVotes
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.vqa_accuracy import VqaAccuracy
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.rules_of_other_normalisers import LATER_PYTHON, NORMALISERS
from fullmarks.report.crosscheck_tables import crosscheck_markdown, crosscheck_text
from fullmarks.report.terminal import Page
from fullmarks.text.other_normalisers import RAW, Normaliser
from fullmarks.text.squad import normalize_answer
from fullmarks.types import Examples

GOLD = [
    {"id": "article", "references": ["the house"]},
    {"id": "mark", "references": ["U.S."]},
    {"id": "case", "references": ["МОСКВА"]},
    {"id": "quote", "references": ["“so”"]},
    {"id": "second", "references": ["one", "two"]},
    {"id": "none", "references": []},
    {"id": "same", "references": ["same"]},
]
ANSWERS = {
    "article": "house",
    "mark": "us",
    "case": "москва",
    "quote": "so",
    "second": "two",
    "none": "",
    "same": "same",
}


@pytest.fixture(scope="module")
def squad():
    return {rule.name: rule for rule in crosscheck("squad2", GOLD, ANSWERS).rules}


@pytest.mark.parametrize(
    ("rule", "worse", "better"),
    [
        ("keep-articles", {"article"}, set()),
        ("keep-punctuation", {"mark"}, set()),
        ("ascii-lower-case", {"case"}, set()),
        ("unicode-punctuation", set(), {"quote"}),
        ("lower-case-only", {"article", "mark"}, set()),
        ("raw-text", {"article", "mark", "case"}, set()),
        ("first-reference", {"second"}, set()),
        ("squad1-rules", {"none"}, set()),
    ],
)
def test_squad_rules_change_what_they_describe(squad, rule, worse, better):
    differing = {example.id: example for example in squad[rule].differing}
    assert set(differing) == worse | better
    for identifier, example in differing.items():
        assert (example.other_scores["exact"] > example.scores["exact"]) is (identifier in better)
    assert squad[rule].scores["exact"] == pytest.approx((6 - len(worse) + len(better)) / 7)
    assert squad[rule].description


def test_all_rules_of_squad_are_tested(squad):
    assert set(squad) == {*NORMALISERS, "first-reference", "squad1-rules", LATER_PYTHON}


# The official script on Python 3.12.1 and 3.13.0, where it has other digits than on 3.11.
LATER_DIGITS = {
    "bert": {"f1": 81.77528052374723, "HasAns_f1": 80.18183293833522},
    "bidaf": {"f1": 67.87648921451321, "HasAns_f1": 65.77219238257683},
}


@pytest.mark.deep
def test_the_script_on_a_later_python(real_data):
    folder = real_data / "squad"
    for model, digits in LATER_DIGITS.items():
        check = crosscheck("squad2", folder / "dev-v2.0.json", folder / f"{model}.json")
        published = json.loads((folder / f"{model}.expected.json").read_text())
        (rule,) = [rule for rule in check.rules if rule.name == LATER_PYTHON]
        assert check.official == published, model
        assert rule.official == {**published, **digits}, model
        assert rule.differing == (), model
        assert rule.description.startswith("the script on Python 3.12 or later")
        said = f"f1 {digits['f1']} instead of {published['f1']}"
        for text in (crosscheck_text(check, Page(200), 0), crosscheck_markdown(check, 0)):
            assert f"{LATER_PYTHON}: {said}" in text, model


def test_the_script_on_a_later_python_with_a_threshold(golden_files):
    folder = golden_files / "squad2"
    options = {"na_prob_file": folder / "na_prob.json", "na_prob_thresh": 0.5}
    check = crosscheck("squad2", folder / "gold.json", folder / "predictions.json", **options)
    published = json.loads((folder / "expected.json").read_text())["thresholded_0.5"]
    (rule,) = [rule for rule in check.rules if rule.name == LATER_PYTHON]
    assert rule.official == {**published, "HasAns_f1": 51.70400496760329}
    assert next(rule for rule in check.to_dict()["rules"] if rule["name"] == LATER_PYTHON)["official"] == rule.official


def test_bleu_on_a_later_python():
    check = crosscheck("qa", [["a b c d e"], ["x"]], ["e a b c d", "x"])
    (rule,) = [rule for rule in check.rules if rule.name == LATER_PYTHON]
    assert rule.official["BLEU-4"] == 0.7071067811865476 / 2
    assert check.official["BLEU-4"] == 0.7071067811865475 / 2
    assert {key for key, value in rule.official.items() if value != check.official[key]} == {"BLEU-4", "Corpus_BLEU-4"}
    assert "bleu_4 0.7071067811865475 -> 0.7071067811865476" in crosscheck_markdown(check, 1)


def test_nothing_is_said_of_a_later_python_where_nothing_changes():
    assert f"{LATER_PYTHON}: the same digits" in crosscheck_markdown(crosscheck("squad2", GOLD, ANSWERS), 0)
    assert LATER_PYTHON not in {rule.name for rule in crosscheck("squad1", GOLD[:5], ANSWERS, strict=False).rules}


def test_vqa_rules_by_hand():
    annotators = ["yes"] * 2 + ["no"] * 5 + ["Maybe."] * 3
    gold = [
        {"question_id": 1, "references": annotators},
        {"question_id": 2, "references": ["a dog"] * 10},
    ]
    check = crosscheck("vqa", gold, [{"question_id": 1, "answer": "Yes"}, {"question_id": 2, "answer": "dog"}])
    scores = {rule.name: rule.scores["accuracy"] for rule in check.rules}
    # Two of ten said yes: eight annotators see 2 others (2/3), the two see 1 (1/3).
    first = (8 * 2 / 3 + 2 * 1 / 3) / 10
    assert check.scores["accuracy"] == pytest.approx(first / 2)
    assert scores == {
        "variant leave-one-out": pytest.approx(first / 2),  # a table has no records that could be equal
        "variant always-normalise": pytest.approx((first + 1) / 2),
        "variant hugging-face": pytest.approx((first + 1) / 2),
        "no-normalising": 0.0,
        "squad-normaliser": pytest.approx((first + 1) / 2),
        "thirds": pytest.approx((2 / 3 + 1) / 2),
        "any-annotator": 1.0,
        "any-annotator-raw": 0.0,
        "most-frequent": 0.5,
    }


def test_qa_rules_by_hand():
    check = crosscheck("qa", [["The cat", "dog"], ["X"], [""]], ["dog.", "x", "the"])
    rules = {rule.name: rule for rule in check.rules}
    assert rules["squad2-empty-rule"].scores["token_f1"] == pytest.approx(check.scores["token_f1"] + 1 / 3)
    assert [example.id for example in rules["squad2-empty-rule"].differing] == [2]
    assert check.scores["bleu_1"] == pytest.approx(0.5 / 3)
    assert rules["lower-case-bleu"].scores["bleu_1"] == pytest.approx(1.5 / 3)
    assert {example.id for example in rules["lower-case-bleu"].differing} == {1}
    assert rules["first-reference"].scores["exact_match"] == pytest.approx(2 / 3)
    assert rules["raw-text"].scores["exact_match"] == 0.0
    assert rules["raw-text"].scores["corpus_bleu_1"] == check.scores["corpus_bleu_1"]


def test_other_rules_with_the_official_choices_are_the_official_ones():
    """The normaliser composed of steps, with SQuAD's steps, against SQuAD's own on texts with all their traps."""
    chance = random.Random(3)
    letters = string.ascii_letters[:6] + " \t.,'-!Теé“”½_" + "\u00a0"
    words = ["the", "a", "an", "The", "A-b"]
    for _ in range(2000):
        text = " ".join(chance.choice([*words, "".join(chance.choices(letters, k=4))]) for _ in range(3))
        assert Normaliser()(text) == normalize_answer(text)
    references = [["the end", "A."], ["b c"], [], ["the"]]
    examples = Examples(range(4), ["end", "b d", "", "x"], references, {"no_answer_probability": [0.1, 0.2, 0.3, 0.9]})
    for official in (SquadScores(threshold=0.5), SquadScores(both_empty=0.0, drop_empty_references=False)):
        ruled = RuledOverlap(**official.options(), normaliser=Normaliser())
        assert ruled.rows(examples) == official.rows(examples)
    votes = Examples(range(2), ["Two.", "x"], [["2", "two", "no"] * 3, ["x", "x", "y"]])
    assert RuledVotes().rows(votes) == VqaAccuracy(always_normalise=True).rows(votes)


def test_raw_is_raw():
    assert RAW(" The  Cat. ") == "The  Cat."


@pytest.mark.parametrize("name", ["squad1", "squad2", "vqa", "qa"])
def test_every_rule_has_a_description_and_the_scores_of_the_protocol(name):
    rules = PROTOCOLS.get(name)()
    names = [score for metric in rules.metrics() for score in metric.scores]
    found = alternatives(rules)
    assert len({each.name for each in found}) == len(found) >= 7
    for each in found:
        assert each.description
        assert [score for metric in each.metrics for score in metric.scores] == names


def test_a_result_at_hand_and_plain_data():
    result = fullmarks.score("squad2", GOLD, ANSWERS)
    check = crosscheck_result(result)
    assert check == crosscheck("squad2", GOLD, ANSWERS)
    plain = check.to_dict(1)
    assert plain["scores"] == result.scores
    raw = next(rule for rule in plain["rules"] if rule["name"] == "raw-text")
    assert raw["differing"] == 3
    assert raw["examples"] == [
        {
            "id": "article",
            "prediction": "house",
            "references": ["the house"],
            "scores": {"exact": 1.0, "f1": 1.0},
            "other_scores": {"exact": 0.0, "f1": 2 / 3},
        }
    ]
