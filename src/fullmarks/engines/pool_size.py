"""How many actors a model has on a Ray cluster, and what each of them asks of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

from fullmarks.backends.batches import Opener
from fullmarks.errors import UsageError
from fullmarks.optional import require


@dataclass(frozen=True)
class PoolSize:
    """How many actors a model has, and how many GPUs and threads each of them; None leaves the choice to us.

    By default as many actors as there are GPUs, each with one; without GPUs as many as there is room for if each has as
    many threads as torch takes here. A model may share a GPU: 0.5 is half of one.
    """

    models: int | None = None
    gpus: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("models", 1), ("gpus", 0), ("threads", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UsageError(f"{name} must be at least {least}, found {value}")
        if self.gpus is not None and self.gpus > 1 and self.gpus != int(self.gpus):
            raise UsageError(f"gpus must be a whole number or a part of one, found {self.gpus}")

    @classmethod
    def from_text(cls, text: str) -> PoolSize:
        """What `models=4&gpus=1&threads=8` says; every part may be left out.

        >>> PoolSize.from_text("models=4&gpus=0.5")
        PoolSize(models=4, gpus=0.5, threads=None)
        """
        found: dict[str, Any] = {}
        for part in filter(None, text.split("&")):
            name, _, value = part.partition("=")
            if name not in ("models", "gpus", "threads") or name in found or not re.fullmatch(r"\d+(\.\d+)?", value):
                raise UsageError(f"'{part}' is no setting of a pool: expected models=4, gpus=1 or threads=8, each once")
            if name != "gpus" and "." in value:
                raise UsageError(f"{name} must be a whole number, found {value}")
            found[name] = float(value) if name == "gpus" else int(value)
        return cls(**found)


class Needs(NamedTuple):
    """How many actors, and what each asks of the cluster."""

    actors: int
    cpus: int
    gpus: float
    threads: int | None


def needs_of(opener: Opener, size: PoolSize) -> Needs:
    """What is asked of the cluster as it is now; Ray must have been initialised."""
    ray = require("ray", needed_by="models on a cluster", extra="ray")
    total = ray.cluster_resources()
    cpus = int(total.get("CPU", 0))
    if not opener.is_neural:
        return Needs(max(1, cpus), min(1, cpus), 0, None)
    threads = size.threads or _threads_here()
    gpus = size.gpus if size.gpus is not None else float(total.get("GPU", 0) >= 1 and opener.device != "cpu")
    if gpus:
        return Needs(size.models or max(1, int(total.get("GPU", 0) / gpus)), min(1, cpus), gpus, threads)
    largest = max((int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]), default=0)
    share = threads if size.models is None else cpus // size.models
    taken = min(threads, largest, share)
    return Needs(size.models or max(1, cpus // max(1, taken)), taken, 0, threads)


def _threads_here() -> int:
    """As many as torch takes in this process: another number may move the last bits."""
    return int(require("torch", needed_by="a model", extra="vision").get_num_threads())
