"""The command in this process."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from fullmarks.cli.main import main


@dataclass
class Ended:
    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """Run the command here and return how it ended."""
    threshold = gc.get_threshold()

    def start(*words: object) -> Ended:
        code = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Ended(code, captured.out, captured.err)

    yield start
    gc.set_threshold(*threshold)
