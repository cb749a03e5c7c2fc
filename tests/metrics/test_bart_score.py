"""BARTScore as a metric and as WebQA's fluency, on a tiny BART, against the definition written out plainly."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import InputError, UsageError
from fullmarks.evaluate import explain
from fullmarks.metrics.bart_score import BartScore
from tests.backends.tiny_models import LETTERS, save_tiny_bart

neural = pytest.mark.neural
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PREDICTIONS = ["a red cat.", "no", "a red cat.", ""]
REFERENCES = [["the cat, is red", "red"], ["no"], ["the cat, is red", "red"], ["yes it is"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="needs torch: make test-all")
    pytest.importorskip("transformers", reason="needs transformers: make test-all")
    return save_tiny_bart(tmp_path_factory.mktemp("fluency") / "bart", seed=4)


def token_ids(text: str) -> list[int]:
    """Letters and blanks between the start and end marks."""
    return [0, *(30 if mark == " " else 4 + LETTERS.index(mark) for mark in text), 2]


def log_probability(folder: Path, source: str, target: str) -> float:
    """The definition: mean over the target's tokens of log p(token | source, tokens before it)."""
    import torch
    from transformers import BartForConditionalGeneration

    model = BartForConditionalGeneration.from_pretrained(folder).eval()
    labels = token_ids(target)
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([token_ids(source)]), decoder_input_ids=torch.tensor([[2, *labels[:-1]]])
        ).logits[0]
    total = 0.0
    for row, label in zip(logits.double().log_softmax(dim=1).tolist(), labels, strict=True):
        total += row[label]
    return total / len(labels)


def bare(text: str) -> str:
    return " ".join("".join(mark for mark in text if mark.isalnum() or mark == " ").split())


def plain_fluency(folder: Path, prediction: str, references: list[str], *, norm: bool) -> float:
    ratios = []
    for reference in map(bare, references):
        score = math.exp(log_probability(folder, reference, bare(prediction)))
        ratios.append(score / math.exp(log_probability(folder, reference, reference)) if norm else score)
    return min(1.0, max(ratios))


@neural
def test_the_score_is_the_mean_log_probability_of_the_best_reference(folder: Path) -> None:
    scorer = fullmarks.load("bart_score", model=str(folder), device="cpu")
    predictions = list(map(bare, PREDICTIONS))
    references = [list(map(bare, golds)) for golds in REFERENCES]
    each = scorer.each(predictions=predictions, references=references)
    wanted = [
        max(log_probability(folder, gold, prediction) for gold in golds)
        for prediction, golds in zip(predictions, references, strict=True)
    ]
    # The network computes in float32, in a batch in another order than alone: on some processors its log-probabilities,
    # numbers from 4 to 8, differ by more than two units in the last place (4.8e-7 each) of float32; eight are allowed.
    assert each == pytest.approx(wanted, rel=0, abs=4e-6)
    assert each[0] == each[2]
    total = each[0] + each[1] + each[2] + each[3]
    assert scorer.compute(predictions=predictions, references=references)["bart_score"] == total / 4


@neural
def test_the_other_direction_swaps_source_and_target(folder: Path) -> None:
    scorer = fullmarks.load("bart_score", model=str(folder), device="cpu", direction="prediction-to-reference")
    assert scorer.each(predictions=["a cat"], references=["the dog"]) == pytest.approx(
        [log_probability(folder, "a cat", "the dog")], rel=0, abs=1e-6
    )


@neural
@pytest.mark.parametrize("batch_size", [1, 3])
def test_the_batch_size_changes_nothing(folder: Path, batch_size: int) -> None:
    rows = [
        BartScore(str(folder), device="cpu", exp=True, batch_size=size).values(PREDICTIONS, REFERENCES, range(4))
        for size in (16, batch_size)
    ]
    assert rows[0] == pytest.approx(rows[1], rel=0, abs=1e-5)


def outputs(path: Path) -> Path:
    cells = [["Guid", "Qcate", "A", "Keywords_A", "Output"]]
    for number, (prediction, references) in enumerate(zip(PREDICTIONS, REFERENCES, strict=True)):
        cells.append([f"q{number}", "text", json.dumps(references), "cat", json.dumps([prediction])])
    path.write_text("".join("\t".join(row) + "\n" for row in cells))
    return path


@neural
@pytest.mark.parametrize("norm", [True, False])
def test_fluency_equals_its_definition(folder: Path, tmp_path: Path, norm: bool) -> None:
    result = fullmarks.score(
        "webqa",
        outputs(tmp_path / "outputs.tsv"),
        measures="accuracy,fluency",
        norm=norm,
        spacy_model="simple",
        bart_model=str(folder),
        device="cpu",
    )
    wanted = [
        plain_fluency(folder, prediction, references, norm=norm)
        for prediction, references in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    records = list(result.per_example)
    assert [record["fluency"] for record in records] == pytest.approx(wanted, rel=0, abs=1e-6)
    assert [record["mul"] for record in records] == [record["fluency"] * record["acc"] for record in records]
    assert [record["acc"] for record in records] == [1.0, 0.0, 1.0, 0.0]
    assert result.official["fluency_avg"] == pytest.approx(sum(wanted) / 4, rel=0, abs=1e-6)
    assert result.official["mul_avg"] == pytest.approx((wanted[0] + wanted[2]) / 4, rel=0, abs=1e-6)
    assert list(result.official)[:7] == ["F1_avg", "RE_avg", "PR_avg", "EM", "fluency_avg", "acc_avg", "mul_avg"]
    assert "|fluency:bart#" in result.signature
    assert f"|norm:{'yes' if norm else 'no'}|" in result.signature
    if norm:
        assert records[1]["fluency"] == 1.0


@neural
def test_fluency_alone_needs_neither_lemmas_nor_keywords(folder: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"measures": "fluency", "bart_model": str(folder), "device": "cpu"}
    result = fullmarks.score("webqa", outputs(tmp_path / "outputs.tsv"), spacy_model="absent", **options)
    assert list(result.official) == ["fluency_avg", "n", "text"]


@neural
def test_explaining_shows_the_parts_of_fluency(folder: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {"measures": "fluency", "bart_model": str(folder), "device": "cpu"}
    explanation = explain("webqa", outputs(tmp_path / "outputs.tsv"), id="q0", **options)
    first = explanation.tables["fluency"][0]
    assert (first["source"], first["target"]) == ("the cat is red", "a red cat")
    assert first["log-probability"] == pytest.approx(log_probability(folder, "the cat is red", "a red cat"), abs=1e-6)
    ratio = math.exp(first["log-probability"]) / math.exp(first["normaliser"])
    assert first["score"] == min(1.0, ratio)
    assert explanation.scores["fluency"] == max(row["score"] for row in explanation.tables["fluency"])


@neural
def test_progress_is_told_to_a_listener(folder: Path) -> None:
    from fullmarks.backends.progress import listening

    told: list[tuple[str, int, int]] = []
    metric = BartScore(str(folder), device="cpu", batch_size=2)
    with listening(lambda *step: told.append(step)):
        metric.values(PREDICTIONS, REFERENCES, range(4))
    assert told == [("bart_score", 2, 4), ("bart_score", 4, 4)]
    metric.values(PREDICTIONS, REFERENCES, range(4))
    assert len(told) == 2


@neural
def test_the_signature_names_the_model_but_not_the_machine(folder: Path) -> None:
    first, second = (BartScore(str(folder), device="cpu", batch_size=size).signature(2) for size in (1, 8))
    assert first == second
    assert first.startswith("bart_score|model:bart#")


def test_a_metric_is_a_value() -> None:
    metric = BartScore("some/model", exp=True, cap=1.0)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert hash(metric) == hash(BartScore("some/model", exp=True, cap=1.0))


def test_options_that_make_no_sense() -> None:
    with pytest.raises(UsageError, match="one of 'reference-to-prediction', 'prediction-to-reference', found 'up'"):
        BartScore(direction="up")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="pass exp=True"):
        BartScore(normalise=True)


def test_an_answer_without_references_is_an_error() -> None:
    with pytest.raises(InputError, match="example 7: has no reference"):
        BartScore().values(["a"], [[]], [7])
