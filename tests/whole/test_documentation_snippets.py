"""What the README and the pages in docs/ show is true: Python examples, imports, commands and printed output."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import shlex
import textwrap
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import click
import pytest

from fullmarks.cli.command_group import run_command
from fullmarks.cli.main import main
from fullmarks.metrics import METRICS
from fullmarks.metrics.scorer import Scorer
from fullmarks.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```\w*$", re.MULTILINE)
BLOCK = re.compile(r"(?:^(?: {4}.*|)\n)*(?:^ {4}.*\n)", re.MULTILINE)


def text_of(page: Path) -> str:
    """The page; the fences around code become empty lines, which end the expected output of an example."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def indented_blocks(page: Path) -> list[str]:
    return [textwrap.dedent(block).strip() + "\n" for block in BLOCK.findall(page.read_text(encoding="utf-8"))]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")], ids=named)
def test_python_examples(page: Path) -> None:
    test = doctest.DocTestParser().get_doctest(text_of(page), {}, named(page), str(page), 0)
    assert test.examples
    for package in re.findall(r"^ *>>> (?:import|from) (\w+)", text_of(page), re.MULTILINE):
        pytest.importorskip(package, reason=f"the page's example needs {package}")
    assert doctest.DocTestRunner().run(test).failed == 0


def python_snippets() -> list[tuple[str, str]]:
    """Python without its results: blocks that begin with an import."""
    return [(named(page), block) for page in PAGES for block in indented_blocks(page) if re.match("import|from", block)]


def test_there_are_python_snippets() -> None:
    assert len(python_snippets()) > 3


@pytest.mark.parametrize(("page", "snippet"), python_snippets(), ids=lambda value: value[:40])
def test_python_snippets_import_what_exists(page: str, snippet: str) -> None:
    for statement in ast.walk(ast.parse(snippet, page)):
        if isinstance(statement, ast.ImportFrom):
            module = importlib.import_module(str(statement.module))
            assert [alias.name for alias in statement.names if not hasattr(module, alias.name)] == []


def test_the_metric_of_the_guide_fulfils_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = indented_blocks(ROOT / "CONTRIBUTING.md")
    (code,) = [block for block in blocks if block.startswith("from array")]
    (entry,) = [block for block in blocks if block.startswith("[project.entry-points")]
    (tmp_path / "my_package.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    name, place = re.findall(r'^(\w+) = "(.+)"$', entry, re.MULTILINE)[0]
    entries = EntryPoints([EntryPoint(name, place, METRICS.group)])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)
    metric = Registry("metric", METRICS.group, {}).make(name, {"most": 3})
    assert metric.signature(2).startswith("answer_length|most:3|n:2|v:")
    assert Scorer(metric).compute(predictions=["ab", "abcd"], references=["", ""]) == {"answer_length": 2.5}


def shown_commands() -> list[str]:
    """The lines that begin with the command's name, in blocks and in single back quotes."""
    found: dict[str, None] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [line for block in indented_blocks(page) for line in block.replace("\\\n", " ").splitlines()]
        found |= dict.fromkeys(line for line in lines if line.startswith("fullmarks "))
        found |= dict.fromkeys(re.findall(r"`(fullmarks [a-z]+ [^`\n|]*)`", text))
    return [line for line in found if "..." not in line and "PROTOCOL" not in line]


def test_there_are_commands() -> None:
    assert len(shown_commands()) > 40


@pytest.mark.parametrize("line", shown_commands())
def test_commands_can_be_typed(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click.Command, "invoke", lambda self, context: 0)  # words are read, nothing is run
    words = shlex.split(line, comments=True)[1:]
    assert run_command(words[: words.index(">")] if ">" in words else words) == 0


@pytest.fixture
def squad(real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the pages speak of."""
    data = real_data / "squad"
    for name in ("dev-v2.0.json", "bert.json", "bidaf.json"):
        (tmp_path / name).symlink_to(data / name)
    (tmp_path / "predictions.json").symlink_to(data / "bert.json")
    monkeypatch.chdir(tmp_path)
    assert main(["score", "squad2", "dev-v2.0.json", "bidaf.json", "-f", "full", "-o", "bidaf.run.json"]) == 0
    return tmp_path


@pytest.mark.parametrize(
    ("page", "line", "first", "last"),
    [
        ("docs/comparing.md", "power bidaf.run.json --difference 1 -f text", "  correlation  ", "0.952\n"),
        ("README.md", "score squad2 dev-v2.0.json predictions.json -f text", "  squad2\n", "5782\n"),
        ("docs/comparing.md", "crosscheck squad2 dev-v2.0.json bert.json -f text", "  rule  ", "4958\n"),
    ],
)
def test_printed_tables(
    squad: Path, capsys: pytest.CaptureFixture[str], page: str, line: str, first: str, last: str
) -> None:
    del squad
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = text[text.index(first) : text.index(last) + len(last)]
    assert main(line.split()) == 0
    printed = capsys.readouterr().out
    assert [row.strip() for row in shown.splitlines()] == [
        row.strip() for row in printed[: printed.index(last) + len(last)].splitlines()
    ]


def test_gate_of_the_page(squad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del squad
    assert main(["score", "squad2", "dev-v2.0.json", "bidaf.json", "--fail-under", "f1=80"]) == 1
    assert capsys.readouterr().err.strip() in (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
