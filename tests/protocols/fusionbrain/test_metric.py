"""METEOR, edit similarity, Russian answers, ready embeddings and statistics: each alone, through `fullmarks.load`."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fullmarks
from fullmarks.errors import InputError, MissingDependencyError, UsageError
from fullmarks.lexicons.morphology import RussianLemmatiser
from fullmarks.metrics import METRICS
from fullmarks.protocols.fusionbrain.metric import FusionbrainVisualqa
from fullmarks.protocols.fusionbrain.rules import visualqa_score
from fullmarks.types import Examples

PREDICTIONS = ["красный дом", "4", "ответ b", "", "большая кошка"]
REFERENCES = [["дом красный", "река"], ["четыре"], ["a", "b"], ["дом"], ["кошки", "большой кот"]]
OPTIONS: dict[str, dict[str, Any]] = {
    "fusionbrain_textqa": {},
    "fusionbrain_mathqa": {},
    "fusionbrain_visualqa": {"lexicon": "none"},
    "ned": {},
}


@pytest.fixture(autouse=True)
def packages() -> None:
    for package in ("pymorphy3", "razdel", "rapidfuzz"):
        pytest.importorskip(package, reason=f"{package} is not installed")


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
        assert ("lemmas:pymorphy3-" in signature) == METRICS.get(name).name.startswith("fusionbrain")


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
    def test_visualqa_gives_what_the_rule_says(self, nltk: Any) -> None:
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
        predictions = [text() for _ in range(600)]
        references = [[text() for _ in range(rng.randint(1, 4))] for _ in predictions]
        lemmatise, cuts = RussianLemmatiser(), nltk == "3.10"
        wanted = [
            visualqa_score(*pair, lemmatise, metric.aligner, cuts_dashes=cuts).score
            for pair in zip(predictions, references, strict=True)
        ]
        assert metric.rows(Examples(range(600), predictions, references)).tolist() == wanted
        assert len(set(wanted)) > 20

    def test_ned(self) -> None:
        predictions, references = ["СТОЛ", "kitten", "", "a"], [["СТОП"], ["sitting"], "", "A"]
        each = fullmarks.load("ned").each(predictions=predictions, references=references)
        assert each == [0.75, 1 - 3 / 7, 0.0, 0.0]


class TestMeteor:
    def test_the_contests_captions(self, golden_files: Path) -> None:
        folder = golden_files / "fusionbrain_meteor"
        gold = json.loads((folder / "captioning_gt.json").read_text(encoding="utf-8"))
        given = json.loads((folder / "captioning_pred.json").read_text(encoding="utf-8"))

        def first(elements: Any) -> Any:
            listed = elements if isinstance(elements, list) else [elements]
            return next(element["content"] for element in listed if element["type"] == "text")

        lexicon = str(folder / "lexicon.json")
        metric = fullmarks.load("meteor", tokens="caption", stemmer="russian", lexicon=lexicon)
        each = metric.each(
            predictions=[first(given[key]) for key in gold], references=[first(gold[key]) for key in gold]
        )
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        assert each == pytest.approx(expected["captioning_per_example"], rel=0, abs=1e-12)
        assert "|lexicon:json:8e5e77bf|" in metric.signature(400)

    def test_a_changed_lexicon_is_read_again(self, tmp_path: Path) -> None:
        path = tmp_path / "lexicon.json"
        metric = fullmarks.load("meteor", lexicon=str(path), gamma=0.0)
        for names, value in (([], 0.0), (["pet"], 1.0)):
            path.write_text(json.dumps({"cat": [{"hypernyms": names, "derivations": []}]}))
            assert metric.each(predictions=["cat"], references=["pet"]) == [value]

    def test_options_are_checked(self) -> None:
        with pytest.raises(UsageError, match="tokens must be one of 'blank', 'caption'"):
            fullmarks.load("meteor", tokens="words")
        with pytest.raises(UsageError, match="unknown stemmer 'portre'"):
            fullmarks.load("meteor", stemmer="portre", lexicon="none").each(predictions=["a"], references=["b"])
        with pytest.raises(MissingDependencyError, match="lexicon=PATH"):
            fullmarks.load("meteor").each(predictions=["a"], references=["b"])


class TestReadyNumbers:
    def test_clip_score(self, tmp_path: Path) -> None:
        np.savez(tmp_path / "texts.npz", names=np.array(["red"]), vectors=np.array([[3.0, 4.0]]))
        np.savez(
            tmp_path / "images.npz", names=np.array(["a.png", "b.png"]), vectors=np.array([[1.0, 0.0], [0.0, 2.0]])
        )
        metric = fullmarks.load("clip_score", model=f"{tmp_path / 'texts.npz'},{tmp_path / 'images.npz'}")
        assert metric.each(predictions=["a.png", "some/b.png"], references=["red", "red"]) == pytest.approx([0.6, 0.8])
        assert metric.compute(predictions=[], references=[]) == {"clip_score": 0.0}
        with pytest.raises(UsageError, match="judged must be"):
            fullmarks.load("clip_score", judged="sounds")

    def test_fid(self, tmp_path: Path) -> None:
        for name, mean in (("a", 0.0), ("b", 3.0)):
            np.savez(tmp_path / f"{name}.npz", mu=np.full(2, mean), sigma=np.eye(2))
        metric = fullmarks.load("fid")
        assert metric.compute(predictions=tmp_path / "a.npz", references=tmp_path / "b.npz") == {"fid": 18.0}
        with pytest.raises(UsageError, match=r"a list of images or an \.npz file"):
            metric.compute(predictions=str(tmp_path), references=tmp_path / "b.npz")

    def test_a_distance_of_sets_has_no_examples(self, tmp_path: Path) -> None:
        metric = fullmarks.load("fid")
        for ask in (
            lambda: metric.each(predictions=["a"], references=["b"]),
            lambda: metric.explain(prediction="a", references=["b"]),
        ):
            with pytest.raises(UsageError, match="fid compares two whole sets"):
                ask()
        with pytest.raises(UsageError, match="needs both"):
            metric.compute(predictions=["a"])
        with pytest.raises(UsageError, match="no option or column 'colour'"):
            metric.compute(predictions=["a"], references=["b"], colour=1)
        with pytest.raises(UsageError, match="cannot merge"):
            metric.merge(fullmarks.load("fid", inception="other.pt"))
