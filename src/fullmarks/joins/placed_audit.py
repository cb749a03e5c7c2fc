"""Findings of parts made one audit: counted together, with the first ids of all by their place in the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fullmarks.types import FIRST_IDS, Audit, Change, Finding, FindingKind, Identifier, Level

_NOWHERE = 1 << 62


class _PlacedText(str):
    """An id that is a text, with its place."""

    place: int


class _PlacedNumber(int):
    """The same of a whole number."""

    place: int


def with_places(ids: Sequence[Identifier], places: Sequence[int]) -> list[Identifier]:
    """Ids that know their places, for where several are equal."""
    marked: list[Identifier] = []
    for identifier, place in zip(ids, places, strict=True):
        one = _PlacedText(identifier) if isinstance(identifier, str) else _PlacedNumber(identifier)
        one.place = place
        marked.append(one)
    return marked


def plain(identifier: Identifier) -> Identifier:
    """The id alone."""
    if isinstance(identifier, _PlacedNumber):
        return int(identifier)
    return str(identifier) if isinstance(identifier, _PlacedText) else identifier


def plain_ids(ids: Sequence[Identifier]) -> Sequence[Identifier]:
    """The ids alone."""
    return list(map(plain, ids)) if ids and type(ids[0]) in (_PlacedText, _PlacedNumber) else ids


class Placed(NamedTuple):
    """A finding with the place of each of its first ids among all records."""

    finding: Finding
    places: list[int]

    @property
    def first(self) -> int:
        """The place of the first of them."""
        return self.places[0] if self.places else _NOWHERE


class PlacedAudit(Audit):
    """The audit of a part, which knows where the ids that it is told stand in the whole."""

    def __init__(self, ids: Sequence[Identifier] = (), places: Sequence[int] = ()) -> None:
        super().__init__()
        self._places: dict[str, list[int]] = {}
        self._reached: dict[str, int] = {}
        self._ids: list[Identifier] = []
        self._at: Sequence[int] = ()
        self._others: tuple[Sequence[Identifier], Sequence[int]] = ((), ())
        self.look_in(ids, places)

    def look_in(
        self,
        ids: Sequence[Identifier],
        places: Sequence[int],
        others: tuple[Sequence[Identifier], Sequence[int]] = ((), ()),
    ) -> None:
        """Say where the ids of the next findings stand; `others` are looked at for those that are not among them."""
        self._ids, self._at, self._others = list(ids), places, others
        self._reached = {}

    def add(
        self,
        kind: FindingKind | str,
        level: Level,
        ids: Sequence[Identifier] = (),
        *,
        count: int | None = None,
        detail: str = "",
        where: str = "",
    ) -> None:
        """Record it, and where its first ids stand."""
        super().add(kind, level, ids, count=count, detail=detail, where=where)
        code = kind.code if isinstance(kind, FindingKind) else FindingKind.of(kind).code
        places = self._places.setdefault(code, [])
        for identifier in self.findings[code].first_ids[len(places) :]:
            places.append(self._place(code, identifier))

    def placed(self) -> dict[str, Placed]:
        """The findings by code, with places."""
        for finding in self.findings.values():
            finding.first_ids = list(map(plain, finding.first_ids))
        return {code: Placed(finding, self._places[code]) for code, finding in self.findings.items()}

    def placed_changes(self) -> list[tuple[int, Change]]:
        """The first predictions that extraction changed, each with its place."""
        return [
            (self._place("", change.id), Change(plain(change.id), change.before, change.after))
            for change in self.extracted
        ]

    def _place(self, code: str, identifier: Identifier) -> int:
        """The place of an id; ids of one finding come in the order of their places."""
        if isinstance(identifier, (_PlacedText, _PlacedNumber)):
            return identifier.place
        start = self._reached.get(code, 0)
        for begin in (start, 0):
            try:
                at = self._ids.index(identifier, begin)
            except ValueError:
                continue
            self._reached[code] = at + 1
            return self._at[at]
        ids, places = self._others
        return places[ids.index(identifier)] if identifier in ids else _NOWHERE


def merged(parts: Iterable[dict[str, Placed]]) -> list[Finding]:
    """The findings of all parts, each once."""
    by_code: dict[str, list[Placed]] = {}
    for part in parts:
        for code, placed in part.items():
            by_code.setdefault(code, []).append(placed)
    return list(map(_together, by_code.values()))


def _together(found: list[Placed]) -> Finding:
    leader = min(found, key=lambda placed: placed.first).finding
    pairs = [pair for placed in found for pair in zip(placed.places, placed.finding.first_ids, strict=True)]
    firsts = sorted(pairs, key=lambda pair: pair[0])[:FIRST_IDS]
    whole = Finding(
        leader.code,
        leader.kind,
        leader.level,
        detail=leader.detail,
        where=leader.where,
        is_unreadable=leader.is_unreadable,
    )
    whole.advice = leader.advice
    whole.count = sum(placed.finding.count for placed in found)
    whole.first_ids = [identifier for _, identifier in firsts]
    return whole
