"""One comparison: what is done, by us and by others, on the same data; and its measuring.

Equal results come first: a case whose results differ is a failure, however fast. Time is that of the processor, this
process and its children together, so that other work on the machine counts less; ours and theirs take turns, and the
ratio is taken turn by turn, so that what still disturbs disturbs both.
"""

from __future__ import annotations

import resource
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from operator import eq
from pathlib import Path
from types import ModuleType
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY.parent / "shared" / "data"
sys.path.insert(0, str(REPOSITORY / "tests"))  # the plain statements of the rules

Work = Callable[[], Any]


class SkippedError(Exception):
    """A subject or peer that cannot be measured here; the message says why."""


class UnequalError(Exception):
    """Ours and theirs differ."""


def processor_seconds() -> float:
    """The processor time of this process and of the children it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@dataclass
class Settings:
    """How much to measure."""

    quick: bool = False
    full: bool = False
    folder: Path = Path()
    """Where made files may lie; removed at the end."""
    absent: dict[str, str] = field(default_factory=dict)
    """Peers that are not here, and why."""

    @property
    def sizes(self) -> list[int]:
        if self.quick:
            return [10_000, 100_000]
        return [10_000, 100_000, 1_000_000, *([5_000_000] if self.full else [])]

    def rounds(self, size: int) -> int:
        """Fewer turns where each is long."""
        if self.quick or size > 200_000:
            return 2
        return 7 if size <= 20_000 else 3

    def peer(self, name: str) -> ModuleType | None:
        """Another package's module; None, with the reason noted, where it cannot be imported."""
        try:
            return import_module(name)
        except Exception as error:  # noqa: BLE001 - whatever keeps it away is reported
            self.absent[name] = f"{type(error).__name__}: {error}".splitlines()[0]
            return None


@dataclass
class Case:
    """The same work done by us and by each of the others."""

    subject: str
    data: str
    size: int
    ours: Work
    theirs: dict[str, Work]
    same: Callable[[Any, Any], bool] = eq
    wanted: dict[str, float] = field(default_factory=dict)
    """The ratio that a peer's time must reach."""
    scale: dict[str, float] = field(default_factory=dict)
    """Where a peer does only a part of the work, how many such parts there are."""
    rounds: int | None = None
    """How many turns to take, where the size does not tell."""
    turns: int = 1
    """How often ours is done in one turn: very short work is done several times."""
    clock: Callable[[], float] = processor_seconds
    """What is counted: processor time, or that of a clock on the wall where both sides use all cores anyway."""


@dataclass
class Measured:
    """The ratios of one case against one peer, one for every turn."""

    subject: str
    data: str
    size: int
    peer: str
    seconds: float
    peer_seconds: float
    ratios: list[float]
    wanted: float | None

    @property
    def is_kept(self) -> bool:
        return self.wanted is None or statistics.median(self.ratios) >= self.wanted

    def to_dict(self) -> dict[str, Any]:
        spread = {"lowest": min(self.ratios), "median": statistics.median(self.ratios), "highest": max(self.ratios)}
        return {
            "subject": self.subject,
            "data": self.data,
            "size": self.size,
            "peer": self.peer,
            "seconds": self.seconds,
            "peer_seconds": self.peer_seconds,
            "ratio": spread,
            "turns": len(self.ratios),
            "wanted": self.wanted,
        }


def timed(work: Work, clock: Callable[[], float] = processor_seconds) -> tuple[float, Any]:
    start = clock()
    result = work()
    return clock() - start, result


def _ours(case: Case) -> tuple[float, Any]:
    seconds = []
    for _ in range(case.turns):
        took, result = timed(case.ours, case.clock)
        seconds.append(took)
    return statistics.median(seconds), result


def measure(case: Case, rounds: int) -> list[Measured]:
    """Every peer against ours, turn by turn; the first turn also compares the results."""
    case.ours()  # imports and caches are filled before the first turn
    times: dict[str, list[tuple[float, float]]] = {peer: [] for peer in case.theirs}
    for turn in range(rounds):
        for peer, work in case.theirs.items():
            seconds, found = _ours(case)
            peer_seconds, wanted = timed(work, case.clock)
            if turn == 0 and not case.same(found, wanted):
                raise UnequalError(f"{case.subject}, {case.data}, {case.size:,}: ours and {peer} differ")
            times[peer].append((seconds, peer_seconds * case.scale.get(peer, 1.0)))
    return [
        Measured(
            case.subject,
            case.data,
            case.size,
            peer,
            statistics.median(seconds for seconds, _ in pairs),
            statistics.median(seconds for _, seconds in pairs),
            [theirs / seconds for seconds, theirs in pairs],
            case.wanted.get(peer),
        )
        for peer, pairs in times.items()
    ]
