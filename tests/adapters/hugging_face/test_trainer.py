"""`fullmarks.adapters.transformers` in a real `Seq2SeqTrainer` that generates, with a small model made of nothing."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)

import fullmarks
from fullmarks.adapters.transformers import compute_metrics
from tests.adapters.answered import official, snippets

WORDS = ["<pad>", "</s>", "<unk>", "where", "is", "the", "cat", "hat", "on", "mat", "in", "house", "a", "red", "green"]
QUESTIONS = ["where is the cat", "where is the hat", "is the mat red", "where is a green house", "is a cat in"]
ANSWERS = ["on the mat", "in the house", "red", "a green hat", "house"]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    words = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", padding_side="right"
    )


@pytest.fixture(scope="module")
def model(tokenizer: Any) -> Any:
    """Taught the first three answers alone, so that some are right and some are not."""
    torch.manual_seed(5)
    config = T5Config(
        vocab_size=len(WORDS), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0
    )
    made = T5ForConditionalGeneration(config)
    questions = tokenizer(QUESTIONS[:3], return_tensors="pt", padding=True)["input_ids"]
    labels = torch.tensor([[*tokenizer(answer)["input_ids"], 1, *[-100] * 4][:4] for answer in ANSWERS[:3]])
    optimiser = torch.optim.Adam(made.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        made(input_ids=questions, labels=labels).loss.backward()
        optimiser.step()
    return made.eval()


def trainer(model: Any, tokenizer: Any, folder: Path, function: Any, **settings: Any) -> Any:
    """A trainer that generates answers of up to four words to the questions, two at a time."""
    examples = [
        {"input_ids": tokenizer(question)["input_ids"], "labels": [*tokenizer(answer)["input_ids"], 1]}
        for question, answer in zip(QUESTIONS, ANSWERS, strict=True)
    ]
    arguments = Seq2SeqTrainingArguments(
        output_dir=str(folder),
        per_device_eval_batch_size=2,
        predict_with_generate=True,
        generation_max_length=5,
        report_to=[],
        use_cpu=True,
        **settings,
    )
    return Seq2SeqTrainer(
        model=model,
        args=arguments,
        eval_dataset=examples,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        compute_metrics=function,
    )


def generated(model: Any, tokenizer: Any) -> list[str]:
    """What the model answers, asked without a trainer."""
    found = []
    for question in QUESTIONS:
        ids = model.generate(torch.tensor([tokenizer(question)["input_ids"]]), max_length=5)
        found += tokenizer.batch_decode(ids, skip_special_tokens=True)
    return [text.strip() for text in found]


def evaluated(trainer: Any, expected: dict[str, float]) -> dict[str, float]:
    """The numbers of `evaluate()`, without its prefix, that we made."""
    found = trainer.evaluate()
    return {name: found[f"eval_{name}"] for name in expected}


def test_decoded_labels_are_the_references(model: Any, tokenizer: Any, tmp_path: Path) -> None:
    predictions = generated(model, tokenizer)
    expected = official("squad2", predictions, ANSWERS)
    assert 0 < expected["f1"] < 100
    assert evaluated(trainer(model, tokenizer, tmp_path, compute_metrics("squad2", tokenizer)), expected) == expected


def test_references_in_the_order_of_the_set(model: Any, tokenizer: Any, tmp_path: Path) -> None:
    golds = [[answer, f"the {answer}", "cat"] for answer in ANSWERS]
    expected = official("squad1", generated(model, tokenizer), golds)
    function = compute_metrics("squad1", tokenizer, references=golds)
    assert evaluated(trainer(model, tokenizer, tmp_path, function), expected) == expected


def test_references_by_the_input(model: Any, tokenizer: Any, tmp_path: Path) -> None:
    golds = [[answer, "cat"] for answer in ANSWERS]
    expected = official("squad1", generated(model, tokenizer), golds)
    function = compute_metrics("squad1", tokenizer, references=dict(zip(QUESTIONS, golds, strict=True)))
    found = trainer(model, tokenizer, tmp_path, function, include_for_metrics=["inputs"])
    assert evaluated(found, expected) == expected
    with pytest.raises(fullmarks.UsageError, match="include_for_metrics"):
        trainer(model, tokenizer, tmp_path, function).evaluate()


def test_batch_by_batch(model: Any, tokenizer: Any, tmp_path: Path) -> None:
    expected = official("squad2", generated(model, tokenizer), ANSWERS)
    function = compute_metrics("squad2", tokenizer)
    found = trainer(model, tokenizer, tmp_path, function, batch_eval_metrics=True)
    assert evaluated(found, expected) == expected
    assert evaluated(found, expected) == expected


def test_metrics_and_their_options(model: Any, tokenizer: Any, tmp_path: Path) -> None:
    predictions = generated(model, tokenizer)
    expected = fullmarks.load("bleu", max_order=1).compute(predictions=predictions, references=ANSWERS)["bleu"]
    found = trainer(model, tokenizer, tmp_path, compute_metrics("bleu", tokenizer, max_order=1)).evaluate()
    assert found["eval_bleu"] == expected


def test_hidden_tokens_do_not_count_wherever_they_stand(tokenizer: Any) -> None:
    passed = SimpleNamespace(
        predictions=np.array([[0, 8, 5, 9, 1, -100], [13, 1, -100, -100, -100, -100]]),
        label_ids=np.array([[-100, -100, 8, 5, 9, 1], [13, 1, 0, 0, -100, -100]]),
    )
    assert compute_metrics("exact_match", tokenizer)(passed) == {"exact_match": 1.0}


def test_columns_break_the_result_down(tokenizer: Any) -> None:
    rows = np.array([[6, 1], [7, 1]])
    passed = SimpleNamespace(predictions=rows, label_ids=rows)
    columns = {"answer_type": ["number", "other"], "question_type": ["is", "is"]}
    found = compute_metrics("vqa", tokenizer, references=[["cat"] * 10, ["mat"] * 10], columns=columns)(passed)
    assert found["perAnswerType.number"] == 100.0
    assert found["perAnswerType.other"] == 0.0


def test_logits_are_refused_with_what_to_do(tokenizer: Any) -> None:
    passed = SimpleNamespace(predictions=(np.zeros((2, 4, 15)), None), label_ids=np.zeros((2, 4)))
    with pytest.raises(fullmarks.InputError, match=r"shape \(2, 4, 15\).*predict_with_generate"):
        compute_metrics("squad2", tokenizer)(passed)


def test_references_that_do_not_fit_are_told(tokenizer: Any) -> None:
    rows = np.array([[6, 1], [7, 1]])
    passed = SimpleNamespace(predictions=rows, label_ids=rows, inputs=rows)
    with pytest.raises(fullmarks.InputError, match="there are 1, but 2 examples were predicted"):
        compute_metrics("squad2", tokenizer, references=["cat"])(passed)
    with pytest.raises(fullmarks.InputError, match=r"none for 1 of 2 inputs \(first: 'hat'\)"):
        compute_metrics("squad2", tokenizer, references={"cat": "cat"})(passed)
    with pytest.raises(fullmarks.UsageError, match="batch_decode"):
        compute_metrics("squad2", str)


def test_the_page_shows_what_comes_out(model: Any, tokenizer: Any, tmp_path: Path) -> None:
    """The snippet has a trainer, here ours; what it passes to it must score."""
    for snippet in snippets("transformers Trainer"):
        space = {"tokenizer": tokenizer, "evaluation_references": [[answer] for answer in ANSWERS]}
        exec(snippet, space)
        found = trainer(model, tokenizer, tmp_path, space["scores"]).evaluate()
        assert found["eval_f1"] == official("squad1", generated(model, tokenizer), ANSWERS)["f1"]
