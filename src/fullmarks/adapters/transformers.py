"""`compute_metrics` for `Seq2SeqTrainer` and `Trainer`: token ids are decoded, texts scored, numbers returned by name.

Nothing of `transformers` is imported: what the trainer passes has arrays, and what decodes them has `batch_decode`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fullmarks.adapters.lists import list_scorer
from fullmarks.checks import wrong_value
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics.scorer import listed

if TYPE_CHECKING:
    from fullmarks.metrics.measure import Measure
    from fullmarks.metrics.scorer import Scorer

IGNORED = -100
"""What stands for no token: trainers fill up with it, and labels hide the question behind it."""


def compute_metrics(
    what: str | Measure | Scorer,
    tokenizer: Any,
    *,
    references: Sequence[Any] | Mapping[str, Any] | None = None,
    columns: Mapping[str, Sequence[Any]] | None = None,
    strip: bool = True,
    **options: Any,
) -> ComputeMetrics:
    """The function that a trainer takes as `compute_metrics`, which scores by the protocol or metric of that name.

    Without `references` the decoded labels are right. A list has those of every example of the evaluation set in its
    order; a mapping has them by the decoded input, and needs `include_for_metrics=["inputs"]` in the arguments of the
    trainer. `columns` are further lists in the order of the set. `strip` takes white space off both ends of what is
    decoded.
    """
    if not callable(getattr(tokenizer, "batch_decode", None)):
        raise wrong_value("tokenizer", "something with batch_decode, such as a tokenizer or a processor", tokenizer)
    if references is not None and not isinstance(references, Mapping):
        references = listed("references", references)
    return ComputeMetrics(list_scorer(what, options), tokenizer, references, dict(columns or {}), strip)


class ComputeMetrics:
    """Decodes what a trainer passes, and scores it; with `batch_eval_metrics` batch by batch."""

    def __init__(
        self,
        rules: Any,
        tokenizer: Any,
        references: list[Any] | Mapping[str, Any] | None,
        columns: dict[str, Sequence[Any]],
        strip: bool,
    ) -> None:
        self.rules, self.tokenizer = rules, tokenizer
        self.references, self.columns, self.strip = references, columns, strip
        self._predictions: list[str] = []
        self._golds: list[Any] = []

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """The official numbers of all that was predicted; nothing yet where more batches follow."""
        texts = self._decoded("predictions", eval_prediction.predictions)
        self._predictions += texts
        if self.references is None:
            self._golds += self._decoded("label_ids", eval_prediction.label_ids)
        elif isinstance(self.references, Mapping):
            self._golds += self._looked_up(self.references, eval_prediction)
        if not compute_result:
            return {}
        predictions, self._predictions = self._predictions, []
        golds, self._golds = self._golds, []
        if isinstance(self.references, list):
            golds = self._in_order(self.references, len(predictions))
        numbers: dict[str, float] = self.rules.numbers(predictions, golds, self.columns)
        return numbers

    def _in_order(self, references: list[Any], n: int) -> list[Any]:
        if len(references) != n:
            found = f"there are {len(references)}, but {n} examples were predicted"
            advice = "Give those of this evaluation set in its order, or a mapping from inputs to references."
            raise InputError("references", found, advice)
        return references

    def _looked_up(self, references: Mapping[str, Any], eval_prediction: Any) -> list[Any]:
        inputs = getattr(eval_prediction, "inputs", None)
        if inputs is None:
            raise UsageError(
                "references by input need the inputs: pass include_for_metrics=['inputs'] to the trainer's arguments"
            )
        texts = self._decoded("inputs", inputs)
        unknown = [text for text in texts if text not in references]
        if unknown:
            found = f"there is none for {len(unknown)} of {len(texts)} inputs (first: {unknown[0]!r})"
            raise InputError("references", found, "Key them by the inputs as the tokenizer decodes them.")
        return [references[text] for text in texts]

    def _decoded(self, name: str, ids: Any) -> list[str]:
        """The texts of rows of token ids, without special tokens."""
        found = ids[0] if isinstance(ids, tuple) and ids else ids
        shape = getattr(found, "shape", None)
        if found is None or (shape is not None and len(shape) != 2):
            shown = "nothing" if found is None else f"an array of the shape {tuple(shape or ())}"
            raise InputError(name, f"expected rows of token ids, found {shown}", _ADVICE)
        rows = found.tolist() if hasattr(found, "tolist") else found
        kept = [[token for token in row if token != IGNORED] for row in rows]
        texts = self.tokenizer.batch_decode(kept, skip_special_tokens=True)
        return [text.strip() for text in texts] if self.strip else list(texts)


_ADVICE = (
    "Generate the answers (predict_with_generate=True of Seq2SeqTrainer), or reduce logits to ids by "
    "preprocess_logits_for_metrics."
)
