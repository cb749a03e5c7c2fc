"""BARTScore: the mean log-probability of a target text given a source text under a sequence-to-sequence model.

Invariant: a score depends on its own pair only; batches are made of pairs of like length and padding is masked, so
that another batch size changes nothing beyond float rounding (1e-5).
Source: Yuan et al. 2021, "BARTScore"; special tokens count, texts are cut at 1,024 tokens.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fullmarks.backends.batches import Model, ModelHere, cut
from fullmarks.backends.digests import file_digest
from fullmarks.backends.model_source import check_model_name, identify, load_pretrained
from fullmarks.backends.torch_device import choose_device
from fullmarks.errors import InputError, UsageError
from fullmarks.optional import require

DEFAULT_MODEL = "facebook/bart-large-cnn"
MAX_TOKENS = 1024
TEXTS_AT_ONCE = 1024
"""Texts per batch when they are only cut into tokens."""
IGNORED = -100
"""The label that marks padding for transformers' models and torch's cross entropy."""

Pair = tuple[str, str]


class SequenceScorer:
    """A seq2seq model of `transformers` by name or directory, with a state file's weights on top when given."""

    def __init__(
        self,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        state_file: str | os.PathLike[str] | None = None,
        *,
        device: str | None = None,
        dtype: str = "float32",
    ) -> None:
        self._torch = require("torch", needed_by="bart_score", extra="fluency")
        transformers = require("transformers", needed_by="bart_score", extra="fluency")
        if dtype not in ("float32", "float64", "float16", "bfloat16"):
            raise UsageError(f"unknown dtype {dtype!r}: expected float32, float64, float16 or bfloat16")
        self._device = choose_device(self._torch, device)
        name = check_model_name(model)
        network = load_pretrained(transformers, transformers.AutoModelForSeq2SeqLM, name)
        self._identity = identify(name, network.config)
        if state_file is not None:
            _load_state(self._torch, network, state_file)
            self._identity += f"+{Path(state_file).name}#{file_digest(state_file)[:8]}"
        self._identity += "" if dtype == "float32" else f",{dtype}"
        self._network = network.to(getattr(self._torch, dtype)).to(self._device).eval()
        self._tokenizer = load_pretrained(transformers, transformers.AutoTokenizer, name)
        positions = getattr(network.config, "max_position_embeddings", None) or MAX_TOKENS
        self._limit = min(MAX_TOKENS, int(positions))

    @property
    def identity(self) -> str:
        """The model (and state file) by name and content, for the signature."""
        return self._identity

    def score(
        self,
        pairs: Sequence[Pair],
        *,
        batch_size: int = 16,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[float]:
        """The score of each (source, target), in order; equal pairs are computed once.

        `progress` is called after each batch with the number of distinct pairs done and their total.
        """
        return score_pairs(ModelHere(self), pairs, batch_size=batch_size, progress=progress)

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of every text, cut at the model's limit; an InputError for a text that has none."""
        encoded = self._tokenizer(list(texts), truncation=True, max_length=self._limit)
        tokens: list[list[int]] = encoded["input_ids"]
        for text, row in zip(texts, tokens, strict=True):
            if not row:
                raise InputError(f"text {text!r}", "has no tokens, so it has no score", "Leave such texts out")
        return tokens

    def score_batch(self, sources: list[list[int]], targets: list[list[int]]) -> list[float]:
        """The score of each target given the source at its position, both as tokens."""
        inputs = self._padded(sources, self._tokenizer.pad_token_id)
        mask = self._padded([[1] * len(source) for source in sources], 0)
        labels = self._padded(targets, IGNORED)
        with self._torch.inference_mode():
            logits = self._network(input_ids=inputs, attention_mask=mask, labels=labels).logits
            if logits.dtype not in (self._torch.float32, self._torch.float64):
                logits = logits.float()
            losses = self._torch.nn.functional.cross_entropy(
                logits.transpose(1, 2), labels, ignore_index=IGNORED, reduction="none"
            )
        totals = losses.double().cumsum(1)[:, -1].tolist()
        return [-total / len(target) for total, target in zip(totals, targets, strict=True)]

    def _padded(self, rows: list[list[int]], filler: int) -> Any:
        width = max(len(row) for row in rows)
        return self._torch.tensor([row + [filler] * (width - len(row)) for row in rows], device=self._device)


def score_pairs(
    model: Model,
    pairs: Sequence[Pair],
    *,
    batch_size: int = 16,
    progress: Callable[[int, int], None] | None = None,
) -> list[float]:
    """What `SequenceScorer.score` gives, of a scorer that may run elsewhere."""
    if batch_size < 1:
        raise UsageError(f"batch_size is {batch_size}; expected at least 1")
    distinct = list(dict.fromkeys(pairs))
    texts = list(dict.fromkeys(text for pair in distinct for text in pair))
    rows = (row for found in model.each(_tokenize, cut(texts, TEXTS_AT_ONCE)) for row in found)
    tokens = dict(zip(texts, rows, strict=True))
    # The target's length first: the decoder with its large vocabulary is the dear part.
    distinct.sort(key=lambda pair: (len(tokens[pair[1]]), len(tokens[pair[0]])), reverse=True)
    batches = cut(distinct, batch_size)
    sent = (([tokens[pair[0]] for pair in batch], [tokens[pair[1]] for pair in batch]) for batch in batches)
    scores: dict[Pair, float] = {}
    for batch, values in zip(batches, model.each(_score_batch, sent), strict=True):
        scores.update(zip(batch, values, strict=True))
        if progress is not None:
            progress(len(scores), len(distinct))
    return [scores[pair] for pair in pairs]


def _tokenize(scorer: SequenceScorer, texts: Sequence[str]) -> list[list[int]]:
    return scorer.tokenize(texts)


def _score_batch(scorer: SequenceScorer, batch: tuple[list[list[int]], list[list[int]]]) -> list[float]:
    return scorer.score_batch(*batch)


_WRONG_STATE = "Use the state file of this very architecture"


def _load_state(torch: Any, network: Any, path: str | os.PathLike[str]) -> None:
    """Put the tensors of a state file into the network; every weight must find its place."""
    where = os.fspath(path)
    try:
        state = torch.load(where, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise InputError(
            where, f"cannot be read as a torch state file ({str(error).splitlines()[0]})", "Expected tensors by name"
        ) from error
    if not isinstance(state, dict) or not all(torch.is_tensor(value) for value in state.values()):
        raise InputError(where, "is no state dictionary; expected tensors by name", "Save it by torch.save(state_dict)")
    try:
        outcome = network.load_state_dict(state, strict=False)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise InputError(where, f"does not fit the model ({reason})", _WRONG_STATE) from error
    own = network.state_dict()
    filled = {own[name].data_ptr() for name in state if name in own}
    missing = [name for name in outcome.missing_keys if own[name].data_ptr() not in filled]
    if missing or outcome.unexpected_keys:
        raise InputError(
            where,
            f"does not fit the model: {len(missing)} weights are missing ({', '.join(missing[:3])}), "
            f"{len(outcome.unexpected_keys)} unknown ({', '.join(outcome.unexpected_keys[:3])})",
            _WRONG_STATE,
        )
