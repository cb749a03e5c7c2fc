"""Every error that fullmarks raises on purpose, in one tree.

    FullmarksError
    ├── UsageError               an unknown name, option or value; a combination that makes no sense
    ├── InputError               a file or object that cannot be used as it is
    │   └── MismatchError        gold and predictions do not fit together
    ├── MissingDependencyError   an optional package or resource is not installed
    └── WorkerError              a worker was lost before its work was done, or cannot do it

A message says where, what was found, what was expected and what to do next.
"""

from __future__ import annotations

MOST_CHARACTERS = 500
"""How much of a problem's description is shown: ids and column names can be as long as the file."""


class FullmarksError(Exception):
    """The root of the tree: catch this to catch all of them."""


class UsageError(FullmarksError):
    """An unknown name, option or value, or a combination that makes no sense."""


class InputError(FullmarksError):
    """A file or object that cannot be used as it is.

    `where` names the file and, where known, the record; `problem` says what was found and what was expected;
    `advice` says what to do next.
    """

    def __init__(self, where: str, problem: str, advice: str = "") -> None:
        self.where = where
        self.problem = problem if len(problem) <= MOST_CHARACTERS else f"{problem[: MOST_CHARACTERS - 4]} ..."
        self.advice = advice
        super().__init__(where, self.problem, advice)

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}" + (f". {self.advice}" if self.advice else "")


class MismatchError(InputError):
    """Gold and predictions do not fit together: ids are missing, unknown or repeated."""


class MissingDependencyError(FullmarksError):
    """An optional package or resource is not installed; the message gives the line to type."""


class WorkerError(FullmarksError):
    """A worker was lost before its work was done, or cannot do it."""
