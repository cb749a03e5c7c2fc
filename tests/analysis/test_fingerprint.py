"""Fingerprints of rules: what changes them and what does not, and that every comparison tells of a change."""

from __future__ import annotations

import importlib
import json
import logging
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis import fingerprint
from fullmarks.analysis.fingerprint import fingerprint_of, rules_changed, rules_fingerprint, without_words
from fullmarks.analysis.gate import judge, parse_fail_if_worse
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.standings import standings
from fullmarks.protocols import PROTOCOLS
from fullmarks.report.page_content import page_content
from fullmarks.version import __version__
from tests.repository import ROOT

GOLD = [{"id": number, "references": ["yes"]} for number in range(30)]
FEW = Sampling(resamples=100)
OLD = "0.9.0"


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """No fingerprint is remembered from a changed source, before or after."""
    rules_fingerprint.cache_clear()
    yield
    rules_fingerprint.cache_clear()


def run(right: int = 20) -> fullmarks.Result:
    answers = [{"id": number, "prediction": "yes" if number < right else "no"} for number in range(len(GOLD))]
    return fullmarks.score("squad2", GOLD, answers)


def saved(path: Path, *, right: int = 20, version: str = __version__, **entries: Any) -> str:
    """A saved run, its version and entries changed as if another fullmarks had written it; None removes an entry."""
    fullmarks.save_run(run(right), path)
    document = json.loads(path.read_text())
    document["signature"] = document["signature"].replace(f"v:{__version__}", f"v:{version}")
    document.update(entries)
    path.write_text(json.dumps({name: value for name, value in document.items() if value is not None}))
    return str(path)


def change(monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str) -> None:
    """Let one source of ours read as if it were changed."""
    read = Path.read_bytes

    def changed(path: Path) -> bytes:
        data = read(path)
        if not path.as_posix().endswith(f"fullmarks/{name}"):
            return data
        assert old.encode() in data
        return data.replace(old.encode(), new.encode())

    monkeypatch.setattr(Path, "read_bytes", changed)
    rules_fingerprint.cache_clear()


def fingerprint_now(name: str) -> str:
    rules_fingerprint.cache_clear()
    return rules_fingerprint(PROTOCOLS.get(name))


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_every_benchmark_has_one(name: str) -> None:
    found = rules_fingerprint(PROTOCOLS.get(name))
    assert len(found) == fingerprint.DIGITS
    assert found == fingerprint_now(name)


def test_no_two_benchmarks_share_one() -> None:
    assert len({rules_fingerprint(PROTOCOLS.get(name)) for name in PROTOCOLS.built_in}) == len(PROTOCOLS.built_in)


# A change of a source, and of which benchmarks it changes the fingerprint.
CHANGES = [
    ("text/squad_rule.py", "def ", "def  ", ("squad2", "squad1"), ()),
    ("metrics/anls.py", "0.5", "0.4", ("docvqa",), ("squad2", "gsm8k")),
    ("protocols/gqa/protocol.py", "100", "10", ("gqa",), ("squad2",)),
    ("data/vqa.json", "youd", "yo", ("vqa", "textvqa"), ("nothing",)),
    ("text/squad_rule.py", '"""SQuAD', '"""Once more, SQuAD', (), ("squad2",)),
    ("protocols/squad2/protocol.py", "\n", "  # a comment\n", (), ("squad2",)),
    ("protocols/squad2/protocol.py", "\n", "\r\n", (), ("squad2",)),
    ("protocols/squad2/card.md", "SQuAD", "squad", (), ("squad2",)),
    ("report/plots.py", "def ", "def  ", (), ("squad2",)),
    ("readers/squad.py", "def ", "def  ", (), ("squad2",)),
]


@pytest.mark.parametrize(("name", "old", "new", "changed", "same"), CHANGES)
def test_it_changes_with_the_rules_and_with_nothing_else(
    name: str, old: str, new: str, changed: tuple[str, ...], same: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    same = tuple(each for each in same if each in PROTOCOLS.built_in)
    before = {each: fingerprint_now(each) for each in (*changed, *same)}
    change(monkeypatch, name, old, new)
    assert [each for each in before if fingerprint_now(each) != before[each]] == list(changed)


def test_words_are_taken_out_and_nothing_else() -> None:
    """What is left of every source of ours has the tokens of the whole, but for comments and docstrings."""
    for path in sorted((ROOT / "src" / "fullmarks").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        assert _tokens(without_words(source)) == _tokens(source), path


def _tokens(source: str) -> list[str]:
    """The tokens that run; a text that is a statement of its own is none of them."""
    shapes = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
    found = [each for each in tokenize.generate_tokens(StringIO(source).readline) if each.type not in shapes]
    lines = [token.type == tokenize.NEWLINE for token in found]
    alone = {
        at
        for at, token in enumerate(found)
        if token.type == tokenize.STRING and (at == 0 or lines[at - 1]) and lines[at + 1]
    }
    return [token.string for at, token in enumerate(found) if at not in alone and not lines[at]]


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ('x = "#"  # why\n', 'x = "#"'),
        ("x = '\\'#'\n", "x = '\\'#'"),
        ('x = """a\n# b"""\n', 'x = """a\n# b"""'),
        ('f(\n    """a"""\n)\n', 'f(\n    """a"""\n)'),
        ('f(  # why\n    """a"""\n)\n', 'f(\n    """a"""\n)'),
        ('class A:\n    """What."""\n\n    b = 1\n    """Which."""\n', "class A:\n    b = 1"),
        ('"""He said "so"."""\nx = 1\n', "x = 1"),
    ],
)
def test_texts_stay_and_docstrings_go(source: str, left: str) -> None:
    assert without_words(source) == left


def test_a_saved_run_keeps_it(tmp_path: Path) -> None:
    found = run()
    assert found.fingerprint is None
    loaded = fullmarks.load_run(saved(tmp_path / "a.json"))
    assert loaded.fingerprint == fingerprint_of(found) == rules_fingerprint(PROTOCOLS.get("squad2"))
    other = fullmarks.load_run(saved(tmp_path / "b.json", fingerprint="0123"))
    fullmarks.save_run(other, tmp_path / "c.json")
    assert fullmarks.load_run(tmp_path / "c.json").fingerprint == "0123"


# What a saved run says of itself, and what is said of it beside a new one; nothing where that is empty.
TOLD: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({}, ()),
    ({"fingerprint": "0123"}, ("(fullmarks {new}, rules 0123)", "by different rules: the", "again")),
    ({"fingerprint": "0123", "version": OLD}, ("(fullmarks {old}, rules 0123)", "by different rules: the", "again")),
    ({"version": OLD}, ("(fullmarks {old}, rules {rules})", "by different versions with the same rules")),
    ({"fingerprint": None}, ()),
    ({"fingerprint": None, "version": OLD}, ("(fullmarks {old})", "by different versions: the", "again")),
]


@pytest.mark.parametrize(("entries", "told"), TOLD)
def test_every_comparison_tells_of_it(
    entries: dict[str, Any], told: tuple[str, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = saved(tmp_path / "old.json", **entries)
    rules = rules_fingerprint(PROTOCOLS.get("squad2"))
    wanted = [part.format(new=__version__, old=OLD, rules=rules) for part in told]

    def is_right(text: str) -> bool:
        return all(part in text for part in wanted) if wanted else "by different" not in text

    pair = fullmarks.compare({"new": run(), "old": path}, sampling=FEW)
    assert is_right(" ".join(pair.warnings.get("old", ())))
    groups = fullmarks.compare({"new": [run(), run(19)], "old": [path, run(18)]}, sampling=FEW)
    assert is_right(" ".join(groups.warnings.get("old", ())))
    (check,) = judge(run(), [parse_fail_if_worse(f"{path}:f1:1")]).checks
    assert check.passed
    assert is_right(check.reason)
    assert is_right(check.doubt)
    with caplog.at_level(logging.WARNING, "fullmarks"):
        fullmarks.report({"new": run(), "old": path}, tmp_path / "page.html", sampling=FEW)
    assert is_right(caplog.text)
    content = page_content(standings({"new": run(), "old": fullmarks.load_run(path)}, sampling=FEW))
    assert is_right(" ".join(content.document["notes"]))


def test_runs_of_the_same_earlier_rules_are_silent_beside_each_other(tmp_path: Path) -> None:
    paths = [
        saved(tmp_path / f"{name}.json", right=at, fingerprint="0123", version=OLD) for name, at in (("a", 9), ("b", 8))
    ]
    assert fullmarks.compare(paths, sampling=FEW).warnings == {}
    one, other = map(fullmarks.load_run, paths)
    assert rules_changed(one, other, "a", "b") == ""


def test_a_report_tells_of_rules_that_are_not_installed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "fullmarks"):
        fullmarks.report(saved(tmp_path / "now.json"), tmp_path / "page.md")
        assert caplog.text == ""
        fullmarks.report(saved(tmp_path / "old.json", fingerprint="0123"), tmp_path / "page.md")
    assert "was not scored by the rules that are installed" in caplog.text
    assert "Score old again" in caplog.text


def test_a_plain_baseline_is_told_by_its_version(tmp_path: Path) -> None:
    path = tmp_path / "base.json"
    for version, is_told in ((__version__, False), (OLD, True)):
        document = run().to_dict()
        document["signature"] = document["signature"].replace(f"v:{__version__}", f"v:{version}")
        path.write_text(json.dumps(document))
        (check,) = judge(run(), [parse_fail_if_worse(f"{path}:f1:1")]).checks
        assert ("scored by different versions" in check.reason) == is_told
    path.write_text(json.dumps(run().official))
    (check,) = judge(run(), [parse_fail_if_worse(f"{path}:f1:1")]).checks
    assert check.doubt == ""


def test_that_of_a_plug_in_follows_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plugged_qa"
    (folder / "sample").mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "rules.py").write_text("LIMIT = 1\n")
    source = (
        "from fullmarks.protocols.squad2.protocol import Squad2\n\nclass PluggedQa(Squad2):\n    name = 'plugged_qa'\n"
    )
    (folder / "protocol.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    protocol = importlib.import_module("plugged_qa.protocol").PluggedQa
    package = "plugged-qa 1.0"
    monkeypatch.setattr(PROTOCOLS, "package_of", lambda name: package)

    def now() -> str:
        rules_fingerprint.cache_clear()
        return rules_fingerprint(protocol)

    found = [now()]
    (folder / "sample" / "gold.json").write_text("{}")
    (folder / "rules.py").write_text("# one\nLIMIT = 1\n")
    assert now() == found[0]
    (folder / "rules.py").write_text("LIMIT = 2\n")
    found.append(now())
    (folder / "words.json").write_text('["a"]')
    found.append(now())
    package = "plugged-qa 1.1"
    found.append(now())
    change(monkeypatch, "protocols/squad2/no_answer.py", "def ", "def  ")
    found.append(now())
    assert len(set(found)) == 5


def test_rules_without_a_source_have_none() -> None:
    assert rules_fingerprint(type("Typed", (PROTOCOLS.get("squad2"),), {"__module__": "typed_at_the_prompt"})) == ""
