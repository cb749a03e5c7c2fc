"""Reports from Python: what `fullmarks.report` takes and writes, and that the package can always be called."""

from __future__ import annotations

import copy
import gzip
import inspect
import json
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.cli.main import main
from fullmarks.report.written_report import report

QUICK = Sampling(resamples=50)
GOLD = [{"id": f"q{at}", "references": ["x"], "topic": at % 2} for at in range(30)]


def scored(step: int) -> fullmarks.Result:
    return fullmarks.score("qa", GOLD, {f"q{at}": "x" if at % step else "y" for at in range(30)}, by="topic")


FIRST, SECOND = scored(2), scored(3)


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    fullmarks.save_run(FIRST, "first.run.json")
    fullmarks.save_run(SECOND, "second.run.json")
    return tmp_path


def test_a_page_is_the_one_that_the_command_writes(saved: Path) -> None:
    words = ["one=first.run.json", "two=second.run.json", "-o", "command.html", "--title", "T", "--by", "topic"]
    assert main(["report", *words, "--resamples", "50"]) == 0
    runs = {"one": FIRST, "two": SECOND}
    fullmarks.report(runs, "python.html", title="T", by="topic", sampling=QUICK)
    page = Path("python.html").read_bytes()
    assert page == Path("command.html").read_bytes()
    fullmarks.report({"one": "first.run.json", "two": Path("second.run.json")}, "paths.html", title="T", sampling=QUICK)
    assert Path("paths.html").read_bytes() == page
    fullmarks.report(["one=first.run.json", "two=second.run.json"], "words.html", title="T", sampling=QUICK)
    assert Path("words.html").read_bytes() == page
    fullmarks.report(runs, Path("zipped.html.gz"), title="T", sampling=QUICK)
    assert gzip.decompress(Path("zipped.html.gz").read_bytes()) == page


@pytest.mark.parametrize("ending", [".md", ".tex", ".csv"])
def test_a_table_is_the_one_that_the_command_writes(saved: Path, ending: str) -> None:
    words = ["first.run.json", "second.run.json", "--resamples", "50", "--no-intervals", "--score", "F1"]
    assert main(["report", *words, "-o", f"command{ending}"]) == 0
    runs = ["first.run.json", "second.run.json"]
    fullmarks.report(runs, f"python{ending}", sampling=QUICK, intervals=False, main_score="F1")
    assert Path(f"python{ending}").read_bytes() == Path(f"command{ending}").read_bytes()


def test_a_result_reports_itself(saved: Path) -> None:
    FIRST.report("one.html", name="bert", title="T", sampling=QUICK)
    fullmarks.report({"bert": FIRST}, "same.html", title="T", sampling=QUICK)
    assert Path("one.html").read_bytes() == Path("same.html").read_bytes()
    FIRST.report("one.md", sampling=QUICK)
    assert "| system |" in Path("one.md").read_text()


def test_paragraphs_come_from_the_gold(saved: Path) -> None:
    gold = [{**record, "context": f"The letter x, as {record['id']} has it."} for record in GOLD]
    Path("gold.json").write_text(json.dumps(gold), encoding="utf-8")
    assert main(["report", "one=first.run.json", "-o", "command.html", "--context", "gold.json"]) == 0
    FIRST.report("context.html", name="one", context=gold)
    FIRST.report("plain.html", name="one")
    assert Path("context.html").read_bytes() == Path("command.html").read_bytes()
    assert Path("context.html").read_bytes() != Path("plain.html").read_bytes()


@pytest.mark.parametrize(
    ("runs", "path", "options", "said"),
    [
        (FIRST, "page.pdf", {}, "page.pdf: the name says no known format; end it in .html, .htm, .md, .tex, .csv"),
        (FIRST, 5, {}, "path must be the path of a file, found 5"),
        (5, "p.html", {}, "runs must be a Result, the path of a saved run, a list of these, or a dictionary by name"),
        ([], "p.html", {}, "a report needs at least one run"),
        ({}, "p.html", {}, "a report needs at least one run"),
        ({"a": 5}, "p.html", {}, "must be a Result"),
        ({"a": [FIRST, SECOND]}, "p.html", {}, "a report shows one run of each system, and 'a' has 2"),
        (FIRST, "p.md", {"title": "x"}, "markdown is a table of the scores and has no place for title"),
        (FIRST, "p.csv", {"by": "topic"}, "csv is a table of the scores and has no place for by"),
        (FIRST, "p.tex", {"context": GOLD}, "latex is a table of the scores and has no place for context"),
        (FIRST, "p.html", {"intervals": False}, "intervals is for tables: a page always shows intervals"),
        (FIRST, "p.md", {"spreadsheet": True}, "spreadsheet is for csv"),
        (FIRST, "p.html", {"by": "colour"}, "there is no column 'colour'"),
        (FIRST, "p.html", {"sampling": 5}, "sampling must be a Sampling, found 5"),
        (FIRST, "p.html", {"images": "s3://x/y"}, "images must be on this machine"),
        ({"a": FIRST, "b": SECOND}, "p.html", {"baseline": "c"}, "'c'"),
    ],
)
def test_what_is_refused(saved: Path, runs: Any, path: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(fullmarks.UsageError) as raised:
        fullmarks.report(runs, path, **options)
    assert said in str(raised.value)
    assert not list(saved.glob("p*"))


def test_a_comparison_and_sums_alone_hold_no_examples(saved: Path) -> None:
    compared: Any = fullmarks.compare({"a": FIRST, "b": SECOND}, sampling=QUICK)
    with pytest.raises(fullmarks.UsageError, match="a Comparison holds no examples to show: give the results"):
        fullmarks.report(compared, "p.html")
    with pytest.raises(fullmarks.UsageError, match="kept only its sums"):
        fullmarks.score("qa", GOLD, {f"q{at}": "x" for at in range(30)}, keep=False).report("p.html")


ORDERS = {
    "at once": "import fullmarks",
    "after a module of the package": "import fullmarks; from fullmarks.report.html_page import html_page",
    "after a module, as a path": "import fullmarks.report.html_page; import fullmarks",
    "by name": "import fullmarks; from fullmarks import report; assert report is fullmarks.report",
    "by name after a module": "from fullmarks.report import delimited; import fullmarks; from fullmarks import report",
    "by star": "from fullmarks import *; import fullmarks; assert report is fullmarks.report",
    "called before and after": "import fullmarks; fullmarks.report(R(), 'x.md'); import fullmarks.report.terminal",
    "loaded anew": "import fullmarks, importlib; importlib.reload(fullmarks.report)",
}
SCRIPT = """
def R():
    import fullmarks
    return fullmarks.score("qa", [{{"id": 1, "prediction": "a", "references": ["a"]}}])
{order}
assert callable(fullmarks.report)
fullmarks.report(R(), "page.md")
import fullmarks.report.html_page
assert fullmarks.report.html_page.html_page
fullmarks.report({{"a": R()}}, "page.md")
print(open("page.md").read())
"""


QUICK_ORDERS = ("at once", "by name after a module")


@pytest.mark.parametrize(
    "order",
    [pytest.param(ORDERS[name], id=name, marks=() if name in QUICK_ORDERS else pytest.mark.deep) for name in ORDERS],
)
def test_the_package_can_be_called_whatever_was_imported_before(order: str, tmp_path: Path) -> None:
    script = SCRIPT.format(order=order)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "| a | 1.0" in ended.stdout, ended.stderr


def test_the_package_looks_like_the_function() -> None:
    package: Any = fullmarks.report
    assert inspect.signature(package) == inspect.signature(report)
    assert inspect.ismodule(package)
    assert "can be called" in str(inspect.getdoc(package))
    assert pickle.loads(pickle.dumps(package)) is package
    assert copy.copy(package) is copy.deepcopy(package) is package
    with pytest.raises(fullmarks.UsageError, match="no known format"):
        partial(package, FIRST)("page.pdf")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        package(FIRST, "page.html", colour="red")
