"""`fullmarks.adapters.evaluate` in the real `evaluate`: the digits of `fullmarks.score`, nothing fetched."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import evaluate
import pytest

import fullmarks
from fullmarks.adapters.evaluate import load
from tests.adapters.answered import answers, flat, official, snippets

PREDICTIONS, GOLDS = answers(300)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder for what `evaluate` writes between adding and computing."""
    folder = str(tmp_path / "cache")
    monkeypatch.setattr("evaluate.config.HF_METRICS_CACHE", folder)
    return folder


@pytest.mark.parametrize("name", ["squad2", "squad1", "triviaqa", "qa", "vqa", "docvqa", "hotpotqa", "drop"])
def test_protocols_have_the_digits_of_score(name: str) -> None:
    golds = [gold or ["a river"] for gold in GOLDS]
    module = load(name)
    assert isinstance(module, evaluate.EvaluationModule)
    assert module.compute(predictions=PREDICTIONS, references=golds) == official(name, PREDICTIONS, golds)


def test_unanswerable_questions_have_empty_lists() -> None:
    found = load("squad2").compute(predictions=PREDICTIONS, references=GOLDS)
    assert found == official("squad2", PREDICTIONS, GOLDS)
    assert found["NoAns_total"] == sum(not gold for gold in GOLDS) > 0


@pytest.mark.parametrize("name", ["token_f1", "exact_match", "bleu", "anls", "votes", "ned", "relaxed_accuracy"])
def test_metrics_have_the_digits_of_load(name: str) -> None:
    golds = [gold or ["a river"] for gold in GOLDS]
    expected = flat(fullmarks.load(name).compute(predictions=PREDICTIONS, references=golds))
    module = load(name)
    assert module.compute(predictions=PREDICTIONS, references=golds) == expected
    assert module.name == name
    assert module.citation == fullmarks.load(name).citation


def test_one_text_is_a_list_of_one() -> None:
    module = load("squad1")
    one = module.compute(predictions=["the cat", "x"], references=["a cat", "y"])
    assert one == module.compute(predictions=["the cat", "x"], references=[["a cat"], ["y"]])
    assert one["f1"] == 50.0


def test_options_are_those_of_the_protocol() -> None:
    golds = ["#### 7"] * 3
    found = load("gsm8k", variant="flexible-extract").compute(predictions=["so 7", "8", "7 or 9"], references=golds)
    assert found == {"exact_match": 1 / 3, "total": 3.0}


def dictionaries(probability: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    predictions = [{"id": f"q{at}", "prediction_text": text} for at, text in enumerate(PREDICTIONS)]
    if probability:
        for at, record in enumerate(predictions):
            record["no_answer_probability"] = (at % 10) / 10  # type: ignore[assignment]
    golds = [
        {"id": f"q{at}", "answers": {"text": gold, "answer_start": [0] * len(gold)}} for at, gold in enumerate(GOLDS)
    ]
    return predictions, golds


def test_dictionaries_are_joined_by_their_ids() -> None:
    predictions, golds = dictionaries(probability=False)
    found = load("squad2").compute(predictions=predictions[::-1], references=golds)
    assert found == official("squad2", PREDICTIONS, GOLDS)


def test_probabilities_keep_all_their_digits() -> None:
    predictions, golds = dictionaries(probability=True)
    found = load("squad2").compute(predictions=predictions, references=golds)
    assert found == flat(fullmarks.score("squad2", golds, predictions).official)
    assert "best_f1_thresh" in found


def test_adding_one_by_one_and_in_batches_is_computing_at_once() -> None:
    whole = official("squad2", PREDICTIONS, GOLDS)
    module = load("squad2")
    for text, gold in zip(PREDICTIONS, GOLDS, strict=True):
        module.add(prediction=text, reference=gold)
    assert module.compute() == whole
    for start in range(0, 300, 64):
        module.add_batch(predictions=PREDICTIONS[start : start + 64], references=GOLDS[start : start + 64])
    assert module.compute() == whole


def test_combined_with_others() -> None:
    golds = [gold or ["a river"] for gold in GOLDS]
    both = evaluate.combine([load("squad1"), load("token_f1"), load("triviaqa")])
    found = both.compute(predictions=PREDICTIONS, references=golds)
    one, three = (official(name, PREDICTIONS, golds) for name in ("squad1", "triviaqa"))
    assert found["squad1_f1"] == one["f1"]
    assert found["triviaqa_f1"] == three["f1"]
    assert (
        found["token_f1"] == fullmarks.load("token_f1").compute(predictions=PREDICTIONS, references=golds)["token_f1"]
    )


@pytest.mark.parametrize("ending", ["", "s"])  # the published metric calls them answer_types and question_types
def test_columns_are_keywords_of_compute(ending: str) -> None:
    golds = [["yes"] * 10, ["no"] * 10]
    kinds = {f"answer_type{ending}": ["yes/no", "other"], f"question_type{ending}": ["is", "what"]}
    found = load("vqa").compute(predictions=["yes", "maybe"], references=golds, **kinds)
    assert found["perAnswerType.yes/no"] == 100.0
    assert found["perAnswerType.other"] == 0.0


def test_in_memory_and_copied() -> None:
    module = load("squad2", keep_in_memory=True)
    assert module.compute(predictions=PREDICTIONS, references=GOLDS) == official("squad2", PREDICTIONS, GOLDS)
    again = pickle.loads(pickle.dumps(module))
    assert again.compute(predictions=PREDICTIONS, references=GOLDS) == official("squad2", PREDICTIONS, GOLDS)


PROCESS = """
import sys
from tests.adapters.answered import answers
from fullmarks.adapters.evaluate import load
number = int(sys.argv[1])
module = load("squad2", num_process=2, process_id=number, experiment_id="both", cache_dir=sys.argv[2])
predictions, golds = answers(300)
part = slice(0, 150) if number == 0 else slice(150, 300)
module.add_batch(predictions=predictions[part], references=golds[part])
print(module.compute())
"""


def test_two_processes_have_the_digits_of_one(tmp_path: Path) -> None:
    here = str(Path(__file__).resolve().parents[3])
    words = [sys.executable, "-c", PROCESS]
    both = [
        subprocess.Popen([*words, str(number), str(tmp_path)], cwd=here, stdout=subprocess.PIPE, text=True)
        for number in (0, 1)
    ]
    printed = [process.communicate(timeout=300)[0].strip() for process in both]
    assert printed == [str(official("squad2", PREDICTIONS, GOLDS)), "None"]


@pytest.mark.parametrize(
    ("predictions", "references", "said"),
    [
        ([], [], "there is none"),
        (["a"], ["a", "b"], "Mismatch in the number of predictions"),
        ([{"id": "1", "text": "a"}], [{"id": "1", "answers": {"text": ["a"], "answer_start": [0]}}], "expected"),
        (["a"], [{"id": "1", "answers": {"text": ["a"], "answer_start": [0]}}], "found a text and"),
    ],
)
def test_what_does_not_fit_is_told(predictions: list[Any], references: list[Any], said: str) -> None:
    with pytest.raises((ValueError, fullmarks.InputError), match=said):
        load("squad2").compute(predictions=predictions, references=references)


def test_a_metric_of_texts_refuses_dictionaries() -> None:
    predictions, golds = dictionaries(probability=False)
    with pytest.raises(fullmarks.InputError, match="token_f1 is a metric and takes texts"):
        load("token_f1").compute(predictions=predictions, references=golds)


def test_the_card_is_the_description() -> None:
    assert "exact" in load("squad2").description
    assert "predictions: text" in load("squad2").inputs_description


def test_the_page_shows_what_comes_out() -> None:
    for snippet in snippets("Hugging Face evaluate"):
        exec(snippet, {})
