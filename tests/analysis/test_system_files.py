"""Words that say which systems are compared: names, files, several runs, and files whose own names look like these."""

from __future__ import annotations

from pathlib import Path

import pytest

from fullmarks.analysis.system_files import named_system, system_files
from fullmarks.errors import UsageError


def parts(*words: str) -> dict[str, tuple[str, ...]]:
    return {name: each.paths for name, each in system_files(words).items()}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_are_given_or_those_of_files() -> None:
    assert parts("bidaf=a.json", "runs/bert.run.json.gz") == {"bidaf": ("a.json",), "bert": ("runs/bert.run.json.gz",)}
    assert parts("a=x.json,y.json", "b1.json,b2.json") == {"a": ("x.json", "y.json"), "b": ("b1.json", "b2.json")}
    assert parts(" a b = x.json") == {"a b": (" x.json",)}
    assert parts("a==x.json") == {"a": ("=x.json",)}


def test_addresses_are_no_names_and_may_have_them() -> None:
    assert parts("s3://b/date=1/x.json", "new=s3://b/date=1/y.json") == {
        "x": ("s3://b/date=1/x.json",),
        "new": ("s3://b/date=1/y.json",),
    }


def test_a_file_of_that_name_wins(folder: Path) -> None:
    assert parts("lr=0.1.json") == {"lr": ("0.1.json",)}
    (folder / "lr=0.1.json").write_text("{}")
    (folder / "a=1.json,b.json").write_text("{}")
    assert parts("lr=0.1.json", "a=1.json,b.json") == {"lr=0.1": ("lr=0.1.json",), "a=1.json,b": ("a=1.json,b.json",)}
    (folder / "date=1").mkdir()
    assert parts("date=1") == {"date=1": ("date=1",)}


def test_a_slash_before_the_sign_makes_it_a_path() -> None:
    assert parts("./lr=0.1.json", "runs/a=b/c.json") == {"lr=0.1": ("./lr=0.1.json",), "c": ("runs/a=b/c.json",)}
    assert parts("x=./lr=0.1.json") == {"x": ("./lr=0.1.json",)}
    assert parts("one.json,two=2.json") == {"one,two=2": ("one.json", "two=2.json")}


def test_a_path_that_is_no_text_is_one_file() -> None:
    assert list(system_files([Path("a=b.json"), Path("c,d.json")]).items()) == [
        ("a=b", ("a=b.json", "", ("a=b.json",))),
        ("c,d", ("c,d.json", "", ("c,d.json",))),
    ]


def test_a_name_that_is_taken_leaves_the_file_its_path() -> None:
    assert list(parts("bert=x.json", "bert.json", "y/bert.json")) == ["bert", "bert.json", "y/bert.json"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("=a.json",), "'=a.json' has no name before the '='; write NAME=FILE as in bert=run.json, or ./=a.json for"),
        (("  =a.json",), "has no name before the '='"),
        (("a=",), "'a=' has no file after the '='"),
        (("a=x.json", "a=y.json"), "two systems are called 'a'; Join the runs of one system by commas"),
        (("a=x.json", "a"), "two systems are called 'a'"),
        (("a=x.json,", "b.json"), "'x.json,' has a comma without a file beside it"),
        (("a=x.json", "b=x.json"), "'x.json' is given twice"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError) as raised:
        system_files(words)
    assert said in str(raised.value)


@pytest.mark.parametrize("asked", ["a", "a=x.json", "x.json"])
def test_a_system_is_found_by_name_word_or_file(asked: str) -> None:
    assert named_system(system_files(["b.json", "a=x.json"]), asked) == "a"
    assert named_system(system_files(["b.json"]), asked) == asked
    assert named_system(system_files(["b.json"]), None) is None
