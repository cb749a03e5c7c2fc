"""Networks that compute batches, in this process or elsewhere: the one place that knows where.

A metric asks for a model by `opened` and sends it batches; whoever has other machines sets `using` around the metric.
Invariant: the caller cuts the batches, so that the same ones are computed wherever that is, and what comes back is in
their order: padding and the size of a batch move the last bits of what a network computes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

Batch = TypeVar("Batch")
Outcome = TypeVar("Outcome")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Opener:
    """How a network is opened: a function of a module, what it is called with, and its device. It pickles."""

    function: Callable[..., Any]
    arguments: tuple[str | None, ...] = ()
    device: str | None = None
    is_neural: bool = True
    """Whether there is anything to compute that a GPU is good for."""

    def open(self) -> Any:
        """The network; it has an `identity`."""
        return self.function(*self.arguments, device=self.device)


class Model(ABC):
    """A network that is opened once, or several times elsewhere."""

    is_here: ClassVar[bool]
    """Whether it runs in this process, which sees the same files as the caller."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """What the network says it is, for the signature."""

    @abstractmethod
    def each(self, work: Callable[[Any, Batch], Outcome], batches: Iterable[Batch]) -> Iterator[Outcome]:
        """What `work` makes of the network and every batch, in the order of the batches.

        `work` is a function of a module, or a `partial` of one. Batches are taken as they are needed, a bounded number
        ahead. An error is raised when all batches before it have been given back.
        """


class ModelHere(Model):
    """A network in this process."""

    is_here: ClassVar[bool] = True

    def __init__(self, network: Any) -> None:
        self._network = network

    @property
    def identity(self) -> str:
        """The network's."""
        return str(self._network.identity)

    def each(self, work: Callable[[Any, Batch], Outcome], batches: Iterable[Batch]) -> Iterator[Outcome]:
        """One batch after the other."""
        return (work(self._network, batch) for batch in batches)


@lru_cache(maxsize=4)
def open_here(opener: Opener) -> Model:
    """The network in this process, where the last few stay open."""
    return ModelHere(opener.open())


_open: ContextVar[Callable[[Opener], Model]] = ContextVar("fullmarks_models", default=open_here)


def opened(opener: Opener) -> Model:
    """The model where models run just now: in this process, unless `using` says otherwise."""
    return _open.get()(opener)


@contextmanager
def using(open_elsewhere: Callable[[Opener], Model]) -> Iterator[None]:
    """Let models be opened by this function inside the block."""
    token = _open.set(open_elsewhere)
    try:
        yield
    finally:
        _open.reset(token)


def cut(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    """The items in pieces of that size, the last one smaller if need be.

    >>> cut("abcde", 2)
    ['ab', 'cd', 'e']
    """
    return [items[start : start + size] for start in range(0, len(items), size)]
