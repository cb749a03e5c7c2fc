"""Other rules give the numbers that they describe, and name the examples behind every difference."""

from __future__ import annotations

import random
import string

import pytest

import fullmarks
from fullmarks.analysis.alternatives import NORMALISERS, alternatives
from fullmarks.analysis.crosscheck import crosscheck, crosscheck_result
from fullmarks.metrics.other_rules import RuledOverlap, RuledVotes
from fullmarks.metrics.squad import SquadScores
from fullmarks.metrics.vqa_accuracy import VqaAccuracy
from fullmarks.protocols import PROTOCOLS
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
    assert set(squad) == {*NORMALISERS, "first-reference", "squad1-rules"}


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
