"""Every protocol and every metric as a `torchmetrics.Metric`: `Squad2`, `TokenF1`, `NqOpen` and so on, by their names.

    from fullmarks.adapters.torchmetrics import Squad2

What such a metric holds is the examples themselves, as bytes, and they are scored when it is computed. So the digits
are those of one process that has all examples in the same order: those of rank 0, then those of rank 1. Bytes stay as
they are on every device and under every precision, and metrics of one collection may share them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from fullmarks.adapters.lists import list_scorer, one_number
from fullmarks.checks import wrong_value
from fullmarks.errors import InputError, UsageError
from fullmarks.metrics import METRICS
from fullmarks.metrics.scorer import listed
from fullmarks.optional import require_package
from fullmarks.protocols import PROTOCOLS
from fullmarks.registry import class_name

if TYPE_CHECKING:
    from fullmarks.metrics.measure import Measure
    from fullmarks.metrics.scorer import Scorer

OF_TORCHMETRICS = (
    "compute_on_cpu",
    "compute_with_cache",
    "dist_sync_fn",
    "dist_sync_on_step",
    "distributed_available_fn",
    "process_group",
    "sync_on_compute",
)
"""The keywords of `torchmetrics.Metric` itself."""
_NEEDED_BY = "fullmarks.adapters.torchmetrics"


def metric(what: str | Measure | Scorer, **options: Any) -> Any:
    """A `torchmetrics.Metric` of the protocol or metric of that name, or of a metric that is made already.

    `number` names the one official number to return, as a tensor; without it all are returned by name. Other options
    are those of the protocol or metric, and those of `torchmetrics.Metric`.
    """
    if isinstance(what, str):
        return _class_named(list_scorer(what, _split(options)[1]).name)(**options)
    return _class_named(list_scorer(what, {}).name)(rules=what, **options)


def __getattr__(name: str) -> Any:
    known = {class_name(known): known for known in (*METRICS.names(), *PROTOCOLS.names())}
    if name not in known:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return _class_named(known[name])


def _class_named(name: str) -> Any:
    """The class of metrics of that name, the same at every call: what is pickled is found again by it."""
    called = class_name(name)
    if called not in globals():
        torchmetrics = require_package("torchmetrics", needed_by=_NEEDED_BY)
        body = {"__module__": __name__, "__doc__": f"`{name}` of fullmarks as a metric of torchmetrics.", "name": name}
        globals()[called] = type(called, (_Holding, torchmetrics.Metric), body)
    return globals()[called]


class _Holding:
    """What holds examples and scores them: the half of the class that needs no `torchmetrics`."""

    name: ClassVar[str]
    is_differentiable: ClassVar[bool] = False
    full_state_update: ClassVar[bool] = False
    held: Any

    def __init__(self, *, number: str | None = None, rules: Measure | Scorer | None = None, **options: Any) -> None:
        ours, own = _split(options)
        torchmetrics = require_package("torchmetrics", needed_by=_NEEDED_BY)
        gather = ours.get("dist_sync_fn") or torchmetrics.utilities.distributed.gather_all_tensors
        super().__init__(**{**ours, "dist_sync_fn": partial(_gathered, gather)})
        self.rules = list_scorer(rules or self.name, own)
        if number is not None and not isinstance(number, str):
            raise wrong_value("number", "the name of an official number", number)
        self.number = number
        self.add_state("held", default=[], dist_reduce_fx="cat")  # type: ignore[attr-defined]

    @property
    def higher_is_better(self) -> bool:
        """Whether more of the chosen number is better; without one, whether more of most numbers is."""
        return self.number is None or not self.rules.less_is_better(self.number)

    def update(self, preds: Any, target: Any, positions: Any = None, **columns: Any) -> None:
        """Take in a batch: texts, or Hugging Face's dictionaries, and for each its references.

        `positions` are the places of the examples in the data set: all are then scored in that order, and one that
        comes twice, as a DistributedSampler repeats some to fill up, counts once. Other keywords are columns.
        """
        if isinstance(preds, (str, Mapping)):
            preds, target = [preds], [target]
        answers, golds = listed("preds", preds), listed("target", target)
        named = {name: listed(name, _plain(values)) for name, values in columns.items()}
        places = [None] * len(answers) if positions is None else listed("positions", _plain(positions))
        for name, values in {"target": golds, "positions": places, **named}.items():
            if len(values) != len(answers):
                raise InputError(name, f"expected {len(answers)}, found {len(values)}", "Give one per prediction.")
        lines = [
            _line(at, [places[at], answers[at], golds[at], {name: values[at] for name, values in named.items()}])
            for at in range(len(answers))
        ]
        if lines:
            torch = require_package("torch", needed_by=_NEEDED_BY)
            held = torch.frombuffer(bytearray("".join(lines), "ascii"), dtype=torch.uint8)
            self.held.append(held.to(self.device))  # type: ignore[attr-defined]

    def compute(self) -> Any:
        """The official numbers of all examples by name, or the chosen one; tensors of 64 bits."""
        torch = require_package("torch", needed_by=_NEEDED_BY)
        parts = [self.held] if isinstance(self.held, torch.Tensor) else self.held
        examples = _in_order([json.loads(line) for part in parts for line in part.cpu().numpy().tobytes().splitlines()])
        if not examples:
            raise InputError("preds", "no example was given", "Call update before compute.")
        names = dict.fromkeys(name for *_, columns in examples for name in columns)
        columns = {name: [each[3].get(name) for each in examples] for name in names}
        found = self.rules.numbers([each[1] for each in examples], [each[2] for each in examples], columns)
        device = "cpu" if self.device.type == "mps" else self.device  # type: ignore[attr-defined] # no 64 bits there
        if self.number is not None:
            value = one_number(found, self.number, self.rules.name)
            return torch.tensor(value, dtype=torch.float64, device=device)
        return {name: torch.tensor(value, dtype=torch.float64, device=device) for name, value in found.items()}

    def merge_state(self, incoming_state: Any) -> None:
        """Take over the examples of another such metric, after one's own."""
        theirs = getattr(incoming_state, "rules", None)
        if theirs is not None and theirs.name != self.rules.name:
            raise UsageError(f"cannot merge {theirs.name} into {self.rules.name}")
        before = list(self.held)
        super().merge_state(incoming_state)  # type: ignore[misc]
        after = list(self.held)
        self.held = after[len(after) - len(before) :] + after[: len(after) - len(before)]
        self._computed = None

    def set_dtype(self, dst_type: Any) -> Any:
        """Nothing changes: what is held are bytes, and the numbers have 64 bits."""
        del dst_type
        return self

    def _apply(self, *words: Any, **options: Any) -> Any:
        self._computed = self._forward_cache = None  # moved with the metric they would be rounded
        return super()._apply(*words, **options)  # type: ignore[misc]


def _split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keywords of `torchmetrics.Metric`, and those of the protocol or metric."""
    ours = {name: value for name, value in options.items() if name in OF_TORCHMETRICS}
    return ours, {name: value for name, value in options.items() if name not in ours and name != "number"}


def _gathered(gather: Callable[..., Any], held: Any, group: Any = None) -> Any:
    """What every rank holds; torchmetrics fills in floats for a rank without examples, and all ranks need one kind."""
    return gather(held.byte(), group)


def _plain(values: Any) -> Any:
    """A tensor or array as a list; anything else as it is."""
    return values.tolist() if hasattr(values, "tolist") else values


def _line(at: int, example: list[Any]) -> str:
    """An example as one line of plain characters."""
    if not isinstance(example[1], (str, Mapping, list, tuple)):
        found = f"expected a text, found {type(example[1]).__name__}"
        raise InputError(f"preds[{at}]", found, "Decode it first: tokenizer.batch_decode(preds).")
    try:
        return json.dumps(example) + "\n"
    except TypeError as error:
        raise InputError(f"target[{at}]", str(error), "Give texts or lists of texts.") from error


def _in_order(examples: Iterable[list[Any]]) -> list[list[Any]]:
    """The examples by their positions, each once; without positions as they came."""
    found = list(examples)
    without = sum(example[0] is None for example in found)
    if without == len(found):
        return found
    if without:
        raise UsageError("some batches came with positions and some without. Give update the positions of all")
    first: dict[int, list[Any]] = {}
    for example in found:
        first.setdefault(example[0], example)
    return [first[position] for position in sorted(first)]
