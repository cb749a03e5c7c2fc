"""Any protocol or metric as a module of Hugging Face `evaluate`: nothing is downloaded, no script is run.

squad = fullmarks.adapters.evaluate.load("squad2")
evaluate.combine([squad, fullmarks.adapters.evaluate.load("meteor", lexicon="none")])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fullmarks.adapters.lists import MetricLists, ProtocolLists, list_scorer
from fullmarks.errors import InputError, UsageError
from fullmarks.optional import require_package
from fullmarks.registry import class_name

if TYPE_CHECKING:
    from fullmarks.metrics.measure import Measure
    from fullmarks.metrics.scorer import Scorer

NO_ANSWER = "no_answer_probability"


def load(
    what: str | Measure | Scorer,
    *,
    config_name: str | None = None,
    num_process: int = 1,
    process_id: int = 0,
    experiment_id: str | None = None,
    keep_in_memory: bool = False,
    cache_dir: str | None = None,
    **options: Any,
) -> Any:
    """The protocol or metric of that name as an `evaluate.EvaluationModule`.

    Where a protocol and a metric share a name it is the protocol; `fullmarks.load(name)` in its place is the metric.
    Predictions are texts and references texts or lists of texts; protocols take Hugging Face's dictionaries too.
    `options` are those of the protocol or metric, all other keywords those of `evaluate.load`.
    """
    evaluate = require_package("evaluate", needed_by="fullmarks.adapters.evaluate")
    rules = list_scorer(what, options)
    kind = type(class_name(rules.name), (_Scoring, evaluate.Metric), {"__module__": __name__, "__doc__": rules.title})
    settings = {
        "config_name": config_name,
        "num_process": num_process,
        "process_id": process_id,
        "experiment_id": experiment_id,
        "keep_in_memory": keep_in_memory,
        "cache_dir": cache_dir,
    }
    return kind(rules, what, settings, options)


class _Scoring:
    """What makes a module of `evaluate` score by our rules: the half of the class that needs no `evaluate`."""

    def __init__(
        self,
        rules: MetricLists | ProtocolLists,
        what: str | Measure | Scorer,
        settings: dict[str, Any],
        options: dict[str, Any],
    ) -> None:
        self._rules = rules
        self._made_of = (what, settings, options)
        super().__init__(**settings)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy for another process is made anew and empty."""
        what, settings, options = self._made_of
        return _made_again, (what, {**settings, **options})

    def _info(self) -> Any:
        evaluate = require_package("evaluate", needed_by="fullmarks.adapters.evaluate")
        return evaluate.MetricInfo(
            description=self._rules.description,
            citation=self._rules.citation,
            inputs_description=_inputs_description(self._rules),
            features=_features(self._rules),
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Take in some examples for a later `compute`."""
        if predictions is not None and not len(predictions):
            raise InputError("predictions", "there is none", "Give at least one example.")
        super().add_batch(predictions=predictions, references=references, **columns)  # type: ignore[misc]

    def _infer_feature_from_example(self, example: dict[str, Any]) -> Any:
        """The form of an example; dictionaries by their keys, which `evaluate` itself does not look at."""
        answer, gold = example["predictions"], example["references"]
        if not isinstance(answer, dict) and not isinstance(gold, dict):
            return super()._infer_feature_from_example(example)  # type: ignore[misc]
        forms = [form for form in self.features if isinstance(form["predictions"], dict)]  # type: ignore[attr-defined]
        for form in forms:
            if _has_keys(answer, form["predictions"]) and _has_keys(gold, form["references"]):
                return form
        raise _no_form(self._rules.name, answer, gold, forms)

    def _compute(self, *, predictions: Any, references: Any, **columns: Any) -> dict[str, float]:
        return self._rules.numbers(list(predictions), list(references), columns)


def _made_again(what: str | Measure | Scorer, words: dict[str, Any]) -> Any:
    return load(what, **words)


def _has_keys(value: Any, form: dict[str, Any]) -> bool:
    return isinstance(value, dict) and value.keys() == form.keys()


def _no_form(name: str, answer: Any, gold: Any, forms: list[Any]) -> InputError:
    """The error for dictionaries that have other keys, or that a metric is given."""
    found = " and ".join(str(sorted(value)) if isinstance(value, dict) else "a text" for value in (answer, gold))
    if not forms:
        return InputError("predictions", f"{name} is a metric and takes texts, found {found}", "Give it the texts.")
    wanted = f"{sorted(forms[-1]['predictions'])} and {sorted(forms[-1]['references'])}"
    return InputError("predictions and references", f"expected {wanted}, found {found}", "Leave out other keys.")


def _inputs_description(rules: MetricLists | ProtocolLists) -> str:
    """What is passed and what comes back, as `evaluate` shows it."""
    others = [f"{name} ({kind})" for name, kind in rules.features.items() if name not in ("predictions", "references")]
    further = f" Further columns, one value per example: {', '.join(others)}." if others else ""
    return (
        f"\n{rules.title}\n\npredictions: {rules.features['predictions']}\n"
        f"references: {rules.features['references']}, or one text\n{further}\n"
        "Further keywords of `compute` are columns with one value per example.\n"
        "Returns the official numbers by name, as floats.\n"
    )


def _features(rules: MetricLists | ProtocolLists) -> list[Any]:
    """The forms that examples may have; `evaluate` takes the first one that fits."""
    datasets = require_package("datasets", needed_by="fullmarks.adapters.evaluate")
    text = datasets.Value("string")
    texts = datasets.Sequence(text)
    if "list" in rules.features["predictions"]:
        if rules.features["predictions"] == "list of items":
            raise UsageError(f"{rules.name} takes lists of any items, which evaluate cannot type: use fullmarks.load")
        forms = [{"predictions": texts, "references": datasets.Sequence(texts)}]
        if "text or" in rules.features["predictions"]:
            forms += [{"predictions": text, "references": texts}, {"predictions": text, "references": text}]
        return [datasets.Features(form) for form in forms]
    forms = [{"predictions": text, "references": texts}, {"predictions": text, "references": text}]
    if isinstance(rules, ProtocolLists):
        answers = datasets.Sequence({"text": text, "answer_start": datasets.Value("int32")})
        gold = {"id": text, "answers": answers}
        answer = {"id": text, "prediction_text": text}
        with_probability = {**answer, NO_ANSWER: datasets.Value("float64")}
        forms += [{"predictions": with_probability, "references": gold}, {"predictions": answer, "references": gold}]
    return [datasets.Features(form) for form in forms]
