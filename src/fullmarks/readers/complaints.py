"""What is wrong with single records of a file, collected and raised together: the user sees all bad places at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from fullmarks.errors import InputError

_MOST_PLACES = 5


@dataclass(slots=True)
class Complaints:
    """The bad records of one file, each with its number, its place in words, and what is wrong."""

    name: str
    found: list[tuple[int, str, str]] = field(default_factory=list)

    def add(self, place: str, problem: str, *, number: int = 0) -> None:
        """Note a record; those that have a number are put in its order, the others stay in theirs."""
        self.found.append((number, place, problem))

    def raise_all(self, advice: str) -> None:
        """Raise the first in the file with the places of the others, if there is any."""
        if not self.found:
            return
        found = sorted(self.found, key=lambda complaint: complaint[0])
        _, place, problem = found[0]
        others = list(dict.fromkeys(where for _, where, _ in found if where != place))
        if others:
            more = ", ..." if len(others) > _MOST_PLACES else ""
            problem += f" (and {len(others)} more bad: {', '.join(others[:_MOST_PLACES])}{more})"
        raise InputError(f"{self.name}: {place}", problem, advice)
