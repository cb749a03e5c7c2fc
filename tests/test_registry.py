"""Names to classes: ours, those of other packages, and what goes wrong with both."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import fullmarks
import fullmarks.protocols
from fullmarks.registry import Registry


def registry_with(monkeypatch: pytest.MonkeyPatch, **places: str) -> Registry:
    entries = EntryPoints(EntryPoint(name, place, "fullmarks.metrics") for name, place in places.items())
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)
    return Registry("metric", "fullmarks.metrics", {"ours": "fullmarks.metrics.answers:ExactMatch"})


UNFINISHED = """
from array import array
from dataclasses import dataclass
import fullmarks

@dataclass(frozen=True)
class Nameless(fullmarks.Metric):
    columns = ("length",)

    def rows(self, examples):
        return array("d", map(len, examples.predictions))

@dataclass(frozen=True)
class Empty(fullmarks.Protocol):
    name = "empty"

def function():
    pass
"""


@pytest.fixture
def unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of another package: one whose classes lack something, one that cannot even be run."""
    (tmp_path / "unfinished.py").write_text(UNFINISHED)
    (tmp_path / "failing.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("unfinished", "failing"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_names_of_other_packages_follow_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_with(monkeypatch, theirs="fullmarks.metrics.answers:TokenF1", ours="nowhere:Nothing")
    assert registry.names() == ["ours", "theirs"]
    assert registry.get("theirs").name == "token_f1"
    assert registry.get("ours").name == "exact_match"


@pytest.mark.parametrize("place", ["no_such_package.metrics:Metric", "fullmarks.metrics.answers:NoSuchMetric"])
def test_a_package_that_cannot_be_loaded_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(fullmarks.UsageError, match=rf"metric 'broken' comes from another package.*'{place}'"):
        registry_with(monkeypatch, broken=place).get("broken")


def test_an_unknown_name_suggests_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(fullmarks.UsageError, match=r"unknown metric 'our'\. Did you mean 'ours'"):
        registry_with(monkeypatch).get("our")


@pytest.mark.usefixtures("unfinished")
@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("unfinished:Nameless", r"'unfinished:Nameless' lacks name, summary\. Give the class what every metric must"),
        ("unfinished:function", r"'unfinished:function' is no subclass of fullmarks\.Metric"),
        ("unfinished:Empty", r"'unfinished:Empty' is no subclass of fullmarks\.Metric"),
        ("failing:Metric", r"cannot be loaded from 'failing:Metric' \(ZeroDivisionError: division by zero\)"),
    ],
)
def test_a_class_that_breaks_the_contract_is_refused(place: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_with(monkeypatch, theirs=place)
    with pytest.raises(fullmarks.UsageError, match=rf"the metric 'theirs' comes from another package.*{reason}"):
        registry.make("theirs", {})


@pytest.mark.usefixtures("unfinished")
def test_a_protocol_must_have_what_its_contract_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = EntryPoints([EntryPoint("empty", "unfinished:Empty", "fullmarks.protocols")])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)
    lacking = "lacks title, gold_format, prediction_format, metrics"
    with pytest.raises(fullmarks.UsageError, match=lacking):
        Registry("protocol", "fullmarks.protocols", {}).get("empty")


def test_a_package_that_ends_the_program_on_import_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "leaving.py").write_text("import sys; sys.exit(0)")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(fullmarks.UsageError, match=r"cannot be loaded from 'leaving:Metric' \(SystemExit: 0\)"):
        registry_with(monkeypatch, theirs="leaving:Metric").get("theirs")


def test_what_a_package_prints_on_import_is_no_output_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "talking.py").write_text("print('hello'); from fullmarks.metrics.answers import TokenF1")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "talking", raising=False)
    assert registry_with(monkeypatch, theirs="talking:TokenF1").get("theirs").name == "token_f1"
    assert capsys.readouterr() == ("", "hello\n")


def test_the_reason_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wordy.py").write_text("raise ValueError('one\\n  two')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(fullmarks.UsageError, match=r"\(ValueError: one two\)"):
        registry_with(monkeypatch, theirs="wordy:Metric").get("theirs")


def test_a_protocol_is_found_under_its_other_names() -> None:
    found = fullmarks.protocols.PROTOCOLS.get("twowiki")
    for name in ("2WikiMultihopQA", "2wikimultihopqa", "2Wiki", "2wiki", "2-wiki multihop", "TwoWiki"):
        assert fullmarks.protocols.PROTOCOLS.get(name) is found
    assert fullmarks.protocols.PROTOCOLS.get("HotpotQA").name == "hotpotqa"
    rows = [{"id": 1, "prediction": "x", "references": ["x"]}]
    assert fullmarks.score("2WikiMultihopQA", rows).protocol == "twowiki"
    with pytest.raises(fullmarks.UsageError, match="unknown protocol '3wiki'"):
        fullmarks.protocols.PROTOCOLS.get("3wiki")


def test_only_an_unknown_name_imports_all_protocols() -> None:
    code = (
        "import sys; from fullmarks.protocols import PROTOCOLS; PROTOCOLS.get('hotpotqa');"
        "print('fullmarks.protocols.twowiki.protocol' in sys.modules);"
        "PROTOCOLS.get('2wiki'); print('fullmarks.protocols.squad1.protocol' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.usefixtures("unfinished")
def test_a_package_that_cannot_be_used_hides_no_other_name(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_with(monkeypatch, broken="failing:Metric")
    assert registry.get("OURS").name == "exact_match"
