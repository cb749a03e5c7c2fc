"""What the first step of a join in parts came to, and what every part has to know of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from fullmarks.engines.engine import Done, Engine, Task
from fullmarks.errors import InputError, MismatchError
from fullmarks.jobs.job import Asked
from fullmarks.joins.parts import Sides
from fullmarks.joins.sides import COLUMN, FACT, NUMBER, SideRead, has_equal_texts
from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.alignment import check_not_empty
from fullmarks.readers.tables.examples import no_slices
from fullmarks.types import FIRST_IDS, Identifier


class BothSides:
    """Both sides once they are read: the gold's pieces and those of the predictions."""

    def __init__(
        self, rules: Protocol, asked: Asked, names: tuple[str, str], done: Sequence[Done], pieces: int
    ) -> None:
        self.gold_name, self.name = names
        self._wanted = asked.columns
        self._done = done
        self.gold: list[SideRead] = [each.result for each in done[:pieces]]
        self.predictions: list[SideRead] = [each.result for each in done[pieces:]]
        self._check()
        self._rule = rules.gaps.repeated_gold

    def parcels(self, part: int) -> list[Any]:
        """The handles of a part's parcels, those of the gold first."""
        return [each.parcels[part] for each in self._done]

    def first_ids(self) -> list[Identifier]:
        """The ids of the first questions."""
        if self._rule != "last":
            return [each for piece in self.gold for each in piece.first][:FIRST_IDS]
        return list(dict.fromkeys(each for piece in self.gold for each in piece.first_distinct))[:FIRST_IDS]

    def facts(self, engine: Engine, parts: int) -> Sides:
        """What every part has to know of the whole."""
        gold = dict.fromkeys(name for piece in self.gold for name in piece.columns)
        numbers = dict.fromkeys(name for piece in self.predictions for name in piece.columns)
        return Sides(
            tuple(accumulate((piece.count for piece in self.gold), initial=0)),
            tuple(accumulate((piece.count for piece in self.predictions), initial=0)),
            tuple(name for name in gold if name.startswith((COLUMN, FACT))),
            tuple(name.removeprefix(NUMBER) for name in numbers if name.startswith(NUMBER)),
            self._converts(engine, parts),
        )

    def _converts(self, engine: Engine, parts: int) -> bool:
        """Whether ids are made to meet by their texts: as of a whole, no two questions may have the same text then."""
        if any(piece.positional for piece in self.predictions):
            return False
        asked, given = (set[type]().union(*(each.kinds for each in side)) for side in (self.gold, self.predictions))
        if asked | given == {str} or (asked == given and len(asked) == 1):
            return False
        gold = len(self.gold)
        tasks = (Task(part, self.parcels(part)[:gold]) for part in range(parts))
        texts_are_equal = [done.result for done in engine.run(has_equal_texts, tasks)]
        return True not in texts_are_equal

    def _check_columns(self) -> None:
        lacking = set(self._wanted).intersection(*(piece.lacking for piece in self.gold))
        for column in (column for column in self._wanted if column in lacking):
            raise no_slices(column, self.gold_name)

    def _check(self) -> None:
        questions, answers = (sum(piece.count for piece in side) for side in (self.gold, self.predictions))
        self._check_columns()
        if any(piece.positional for piece in self.predictions) and questions != answers:
            found = f"{answers} predictions for {questions} questions"
            raise MismatchError(self.name, found, "A list without ids needs one prediction for each question.")
        check_not_empty(questions, answers, self.gold_name, self.name)
        filled = [piece for piece in self.predictions if piece.count]
        for name in dict.fromkeys(name for piece in filled for name in piece.columns if name.startswith(NUMBER)):
            if not all(name in piece.columns for piece in filled):
                column = name.removeprefix(NUMBER)
                found = f"some of its records have '{column}', others do not"
                raise InputError(self.name, found, "Write it in every record, or in none.")
