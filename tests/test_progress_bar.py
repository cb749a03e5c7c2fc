"""The bar of long work: in a terminal, in a notebook, and nowhere else."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import pytest
from rich.console import Console

import fullmarks
from fullmarks import progress_bar
from fullmarks.backends.progress import reporter
from fullmarks.progress_bar import NotebookDisplay, Progress, State, TerminalDisplay

ROWS = [{"id": at, "prediction": "a", "references": ["a"]} for at in range(5)]


class Cell:
    """The output of a notebook's cell: what was displayed, and what became of it."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.displays = 0

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Cell:
        assert raw
        assert display_id
        self.displays += 1
        self.shown.append(data)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(data)


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    """A notebook, as far as is looked at one: a kernel, and a display that can be updated."""
    made = Cell()
    package: Any = types.ModuleType("IPython")
    package.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    display: Any = types.ModuleType("IPython.display")
    display.display = made.display
    package.display = display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress_bar, "BETWEEN_SECONDS", 0.0)
    return made


def test_a_notebook_shows_one_bar_that_becomes_a_line(cell: Cell, capsys: pytest.CaptureFixture[str]) -> None:
    result = fullmarks.score("qa", ROWS, progress=True)
    assert result == fullmarks.score("qa", ROWS)
    assert cell.displays == 1
    words = [data["text/plain"] for data in cell.shown]
    assert words[:-1] == ["reading, 0 examples", "scoring, 5 examples"]
    assert words[-1].startswith("5 examples scored in ")
    assert "<progress></progress>" in cell.shown[0]["text/html"]
    assert "<progress" not in cell.shown[-1]["text/html"]
    assert capsys.readouterr() == ("", "")


def test_a_notebook_shows_shards_and_few_updates(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = NotebookDisplay()
    shown.show(State("scoring", 1200, 3, 20))
    assert cell.shown[0]["text/plain"] == "scoring: 3 of 20 shards, 1,200 examples"
    assert '<progress value="3" max="20">' in cell.shown[0]["text/html"]
    monkeypatch.setattr(progress_bar, "BETWEEN_SECONDS", 1000.0)
    shown.show(State("scoring", 1300, 4, 20))
    assert len(cell.shown) == 1
    shown.close(State("<b>", 1300), is_done=False)
    assert cell.shown[-1]["text/plain"].startswith("stopped after 1,300 examples in ")


def test_work_that_fails_is_told_as_stopped(cell: Cell) -> None:
    with pytest.raises(fullmarks.InputError):
        fullmarks.score("qa", [], progress=True)
    assert cell.shown[-1]["text/plain"].startswith("stopped after 0 examples in ")
    assert reporter("x") is None  # and nobody listens any more


def test_both_are_told_where_one_listens_too(cell: Cell) -> None:
    told: list[tuple[int, int, int]] = []
    fullmarks.score("qa", ROWS, progress=True, advance=lambda *state: told.append(state))
    assert told == [(5, 0, 0)]
    assert "scoring, 5 examples" in [data["text/plain"] for data in cell.shown]


def test_a_terminal_shows_a_line_and_clears_it() -> None:
    stream = io.StringIO()
    display = TerminalDisplay(Console(file=stream, force_terminal=True, width=100))
    shown = Progress()
    shown.watch(fullmarks.Examples([1], ["a"], [["a"]]), ())
    shown.show(display)
    shown.advance(1234, 2, 8)
    shown.step("[bold]model", 3, 9)
    shown.end()
    shown.advance(1, 1, 1)  # of no consequence any more
    text = stream.getvalue()
    assert "scoring" in text
    assert "1 examples" in text
    assert "[bold]model: 3 of 9" in text
    assert text.endswith("\x1b[2K")


def test_what_is_over_is_not_shown() -> None:
    stream = io.StringIO()
    shown = Progress()
    shown.end()
    shown.show(TerminalDisplay(Console(file=stream, force_terminal=True)))
    assert stream.getvalue() == ""


def test_nothing_appears_where_nobody_looks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    result = fullmarks.score("qa", ROWS, progress=True)
    monkeypatch.setattr(sys, "stderr", None)  # as where there is no console at all
    assert fullmarks.score("qa", ROWS, progress=True) == result
    assert capsys.readouterr() == ("", "")


def test_a_shell_in_a_terminal_is_no_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    package: Any = types.ModuleType("IPython")
    package.get_ipython = types.SimpleNamespace
    monkeypatch.setitem(sys.modules, "IPython", package)
    assert not progress_bar.in_notebook()
    package.get_ipython = lambda: None
    assert not progress_bar.in_notebook()


def test_progress_is_a_yes_or_no() -> None:
    wrong: Any = "yes"
    with pytest.raises(fullmarks.UsageError, match="progress must be True or False, found 'yes'"):
        fullmarks.score("qa", ROWS, progress=wrong)
