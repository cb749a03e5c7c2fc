"""The metrics of Russian answers, each alone, through `fullmarks.load`."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError, UsageError
from fullmarks.lexicons.morphology import RussianLemmatiser
from fullmarks.protocols.fusionbrain.metric import FusionbrainVisualqa
from fullmarks.protocols.fusionbrain.rules import visualqa_score
from fullmarks.types import Examples

PREDICTIONS = ["красный дом", "4", "ответ b", "", "большая кошка"]
REFERENCES = [["дом красный", "река"], ["четыре"], ["a", "b"], ["дом"], ["кошки", "большой кот"]]
OPTIONS: dict[str, dict[str, Any]] = {
    "fusionbrain_textqa": {},
    "fusionbrain_mathqa": {},
    "fusionbrain_visualqa": {"lexicon": "none"},
}


@pytest.fixture(autouse=True)
def packages() -> None:
    for package in ("pymorphy3", "razdel", "rapidfuzz"):
        pytest.importorskip(package, reason=f"needs {package}: make install")


@pytest.mark.parametrize("name", OPTIONS)
class TestRussian:
    def test_the_score_is_the_mean_of_each(self, name: str) -> None:
        scorer = fullmarks.load(name, **OPTIONS[name])
        total = 0.0
        for value in scorer.each(predictions=PREDICTIONS, references=REFERENCES):
            total += value
        assert scorer.compute(predictions=PREDICTIONS, references=REFERENCES) == {name: total / 5}

    def test_batches_and_pickling(self, name: str) -> None:
        given = OPTIONS[name]
        whole = fullmarks.load(name, **given).compute(predictions=PREDICTIONS, references=REFERENCES)
        first, second = fullmarks.load(name, **given), fullmarks.load(name, **given)
        first.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
        second.add_batch(predictions=PREDICTIONS[2:], references=REFERENCES[2:])
        first.merge(pickle.loads(pickle.dumps(second)))
        assert first.compute() == whole
        metric = first.metric
        assert hash(pickle.loads(pickle.dumps(metric))) == hash(metric)

    def test_explanation_agrees_with_the_score(self, name: str) -> None:
        scorer = fullmarks.load(name, **OPTIONS[name])
        each = scorer.each(predictions=PREDICTIONS, references=REFERENCES)
        for prediction, golds, value in zip(PREDICTIONS, REFERENCES, each, strict=True):
            told = scorer.explain(prediction=prediction, references=golds)
            assert told.scores == {name: value}
            assert told.facts["prediction"] == prediction
            assert len(told.tables["references"]) == len(golds)

    def test_a_reference_is_needed(self, name: str) -> None:
        scorer = fullmarks.load(name, **OPTIONS[name])
        with pytest.raises(InputError, match="needs at least 1"):
            scorer.each(predictions=["x"], references=[[]])
        with pytest.raises(UsageError, match=r"no (reference|gold options)"):
            scorer.metric.rows(Examples([0], ["x"], [[]]))

    def test_the_signature_names_the_dictionary(self, name: str) -> None:
        signature = fullmarks.load(name, **OPTIONS[name]).signature(5)
        assert signature.startswith(f"{name}|")
        assert signature.endswith(f"|n:5|v:{fullmarks.__version__}")
        assert "lemmas:pymorphy3-" in signature


class TestByHand:
    def test_textqa(self) -> None:
        # All tokens; a numeral in digits; one of two tokens is all of the gold; nothing; one of two on both sides, and
        # "кошка" alone: 2/3.
        each = fullmarks.load("fusionbrain_textqa").each(predictions=PREDICTIONS, references=REFERENCES)
        assert each == [1.0, 1.0, 2 / 3, 0.0, 2 / 3]

    def test_mathqa(self) -> None:
        each = fullmarks.load("fusionbrain_mathqa").each(predictions=PREDICTIONS, references=REFERENCES)
        assert each == [0.0, 1.0, 1.0, 0.0, 0.0]

    def test_the_second_try_can_be_left_out(self) -> None:
        for name, first, second in (("textqa", 0.5, 1.0), ("mathqa", 0.0, 1.0)):
            given = {"predictions": ["тут ответ d"], "references": [["d", "c"]]}
            assert fullmarks.load(f"fusionbrain_{name}", second_try=False).each(**given) == [first]
            assert fullmarks.load(f"fusionbrain_{name}").each(**given) == [second]

    def test_visualqa(self) -> None:
        # A normal form; one of two words, precision 1/2, recall 1: 0.5 / (0.9 * 0.5 + 0.1); the ratio of two numbers.
        each = fullmarks.load("fusionbrain_visualqa", lexicon="none").each(
            predictions=["кошки", "ответ b", "5"], references=[["кошка"], ["a", "b"], ["10"]]
        )
        assert each == pytest.approx([1.0, 10 / 11, 0.5], rel=1e-15)

    @pytest.mark.parametrize("nltk", ["3.9", "3.10"])
    @pytest.mark.parametrize("count", [300, pytest.param(600, marks=pytest.mark.deep)])
    def test_visualqa_gives_what_the_rule_says(self, nltk: Any, count: int) -> None:
        words = [
            "кошка",
            "кошки",
            "Кот",
            "два",
            "2",
            "10",
            "three",
            "½",
            "Ⅷ",
            "5км",
            "«дом»",
            "да—нет",
            "cannot",
            "",
            "-7",
        ]
        rng = random.Random(4)

        def text() -> str:
            return " ".join(rng.choices(words, k=rng.choice([0, 1, 1, 1, 2, 4])))

        metric = FusionbrainVisualqa("none", nltk)
        predictions = [text() for _ in range(count)]
        references = [[text() for _ in range(rng.randint(1, 4))] for _ in predictions]
        lemmatise, cuts = RussianLemmatiser(), nltk == "3.10"
        wanted = [
            visualqa_score(*pair, lemmatise, metric.aligner, cuts_dashes=cuts).score
            for pair in zip(predictions, references, strict=True)
        ]
        assert metric.rows(Examples(range(count), predictions, references)).tolist() == wanted
        assert len(set(wanted)) > 20
