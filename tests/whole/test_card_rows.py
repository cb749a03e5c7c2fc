"""Every row of every card's "Where we differ" has a case that runs it, and every case a row.

The cases are in `tests/whole/card_rows`, one file per kind of benchmark. Each file defines `CASES`: for every
benchmark the exact text of a row's first cell with a function that runs the case and asserts what the card says of
fullmarks.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.folder import read_card

pytest.register_assert_rewrite("tests.whole.card_rows")

Case = Callable[[Path], None]
FOLDER = Path(__file__).parent / "card_rows"
KINDS = {"text": ("text", "generic"), "visual": ("visual",)}
"""The file of cases, and the kinds of benchmarks that it covers."""
FILES = {path.stem for path in FOLDER.glob("*.py")}


def rows_of(card: str, heading: str = "Where we differ") -> list[str]:
    """The first cell of every row of the tables under the heading; the heads of the tables are left out."""
    section = card.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rules = [at for at, line in enumerate(lines) if re.fullmatch(r"[|:\- ]+", line)]
    heads = {at - 1 for at in rules} | set(rules)
    return [re.split(r"(?<!\\)\|", line)[1].strip() for at, line in enumerate(lines) if at not in heads]


def cases_of(file: str) -> dict[str, dict[str, Case]]:
    """The cases of a file by benchmark."""
    cases: dict[str, dict[str, Case]] = importlib.import_module(f"tests.whole.card_rows.{file}").CASES
    return cases


def benchmarks(file: str) -> list[str]:
    """The benchmarks that a file has to cover."""
    return [name for name in PROTOCOLS.built_in if PROTOCOLS.get(name).kind in KINDS[file]]


def test_rows_are_read_from_tables_only() -> None:
    table = "| case | ours |\n|---|---|\n| a \\| b | c |\n| d | e |\n"
    card = f"# x\n| no | row |\n\n## Where we differ\ntext\n\n{table}\n## Source\n| f | g |\n"
    assert rows_of(card) == ["a \\| b", "d"]


@pytest.mark.parametrize("file", list(KINDS))
def test_every_row_has_a_case_and_every_case_a_row(file: str) -> None:
    if file not in FILES:
        pytest.skip(f"there is no file of cases tests/whole/card_rows/{file}.py")
    cases = cases_of(file)
    wrong = [f"{name}: not in CASES" for name in benchmarks(file) if name not in cases]
    wrong += [f"{name}: no benchmark of this file" for name in cases if name not in benchmarks(file)]
    for name in set(cases) & set(benchmarks(file)):
        rows = rows_of(read_card(name))
        wrong += [f"{name}: two rows for: {row}" for row in rows if rows.count(row) > 1]
        wrong += [f"{name}: no case for the row: {row}" for row in rows if row not in cases[name]]
        wrong += [f"{name}: no row for the case: {row}" for row in cases[name] if row not in rows]
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file in KINDS if file in FILES for name in benchmarks(file)]
)
def test_the_cases_of_a_card(file: str, name: str, tmp_path: Path) -> None:
    failed = []
    for number, (row, case) in enumerate(cases_of(file).get(name, {}).items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            case(folder)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 all failing rows are named together
            failed.append(f"{row}\n    {type(error).__name__}: {error}")
    assert not failed, "\n".join([f"{name}: {len(failed)} of its rows are not so:", *failed])
