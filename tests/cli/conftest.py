"""The command in this process."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fullmarks.cli.main import main
from fullmarks.metrics import METRICS
from fullmarks.protocols import PROTOCOLS


@dataclass
class Ended:
    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run the command here and return how it ended; its streams encode as strictly as those of a process do."""
    threshold = gc.get_threshold()
    for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):  # whatever the tests are started with
        monkeypatch.delenv(name, raising=False)

    def start(*words: object, stdin: bytes | None = None, encoding: str = "utf-8") -> Ended:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        for stream, errors in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):  # both are capfd's own
            stream.reconfigure(encoding=encoding, errors=errors)  # type: ignore[attr-defined]
        code = main([str(word) for word in words])
        captured = capfd.readouterr()
        return Ended(code, captured.out, captured.err)

    yield start
    gc.set_threshold(*threshold)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Let this process see the packages in a folder, with their entry points, as if they were installed."""
    known, folders = set(sys.modules), []

    def forget_names() -> None:
        for registry in (METRICS, PROTOCOLS):
            for name in ("_registered", "_other_names"):
                vars(registry).pop(name, None)

    def see(folder: Path) -> None:
        monkeypatch.syspath_prepend(folder)
        folders.append(str(folder))
        forget_names()

    yield see
    forget_names()
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(tuple(folders)):
            del sys.modules[name]
