"""How results show themselves: few lines at the prompt, a small table in a notebook, and nothing that obeys input."""

from __future__ import annotations

import dataclasses
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.across import across_folder
from fullmarks.analysis.intervals import Sampling, result_confidence
from fullmarks.showing import LINES, ROWS, Shown, Table, cut, named
from fullmarks.types import Audit, Explanation

HOSTILE = "<script>alert(1)</script>\x1b[31m\n\ud800' onload='x"
STYLES = {"text-align:left", "text-align:left;padding:0.1em 0.6em", "text-align:right;padding:0.1em 0.6em"}
QUICK = Sampling(resamples=50)
N = 60


def scored(step: int) -> fullmarks.Result:
    rows = [
        {"id": f"{HOSTILE}{at}", "prediction": "x" if at % step else HOSTILE, "references": ["x"], HOSTILE: at % 50}
        for at in range(N)
    ]
    return fullmarks.score("qa", rows, by=HOSTILE)


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    first, second = scored(2), scored(3)
    many = {f"{HOSTILE}{number}": scored(number) for number in range(2, 14)}
    judged = [{HOSTILE: at % 2, "human": at % 2 if at < 20 else None} for at in range(100)]
    return {
        "result": first,
        "comparison": fullmarks.compare({HOSTILE: first, "second": second}, sampling=QUICK),
        "comparison of many": fullmarks.compare(many, sampling=QUICK, by=()),
        "intervals": fullmarks.confidence(first, QUICK),
        "confidence": result_confidence(first, (HOSTILE,), QUICK),
        "explanation": fullmarks.explain(
            "qa", [{"id": HOSTILE, "prediction": HOSTILE, "references": [HOSTILE] * 30}], id=HOSTILE
        ),
        "audit": fullmarks.validate("squad2", [{"id": "a", "references": ["x"]}], {HOSTILE: "x"}),
        "power": fullmarks.power(first, second, difference=0.1),
        "judged": fullmarks.ppi(judged, judge=HOSTILE, human="human"),
        "crosscheck": fullmarks.crosscheck("qa", [{"id": HOSTILE, "prediction": "a", "references": ["a"]}]),
        "scorer": fullmarks.load("token_f1"),
    }


NAMES = [
    *("result", "comparison", "comparison of many", "intervals", "confidence", "explanation", "audit", "power"),
    *("judged", "crosscheck", "scorer"),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_prompt_shows_few_lines_that_are_harmless(shown: dict[str, Any], name: str) -> None:
    text = repr(shown[name])
    lines = text.splitlines()
    assert 0 < len(lines) <= 1 + LINES
    assert max(map(len, lines)) < 500
    assert all(line.isprintable() for line in lines)
    assert text.encode()  # valid Unicode


class Tags(HTMLParser):
    """Collects tags, and complains about those that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes.update(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", [name for name in NAMES if name != "scorer"])
def test_the_notebook_shows_a_table_that_is_escaped(shown: dict[str, Any], name: str) -> None:
    page = shown[name]._repr_html_()
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert not tags.open
    assert tags.seen <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert {value for _, value in tags.attributes} <= STYLES  # and no colour
    assert "\x1b" not in page
    assert page.encode()
    assert len(page) < 50_000


def test_a_comparison_shows_its_main_score_first(shown: dict[str, Any]) -> None:
    lines = repr(shown["comparison of many"]).splitlines()
    assert re.fullmatch(r"<qa: .* and 8 more against .*, 60 examples>", lines[0])
    assert all(" exact_match " in line for line in lines[2:-1])
    assert lines[-1] == f"  ... and {11 * 6 - (LINES - 2)} more"


def test_equality_and_pickles_are_as_before(shown: dict[str, Any]) -> None:
    for name in ("comparison", "intervals", "confidence", "explanation", "audit", "power", "judged"):
        assert pickle.loads(pickle.dumps(shown[name])) == shown[name]
    assert shown["intervals"] == dict(shown["intervals"])
    assert dataclasses.replace(shown["comparison"], n=1) != shown["comparison"]
    assert Audit() == Audit()
    assert Audit() != Audit(gold=1)


def test_intervals_as_a_data_frame(shown: dict[str, Any]) -> None:
    pytest.importorskip("pandas")
    frame = shown["intervals"].to_pandas()
    assert list(frame["score"]) == list(shown["intervals"])
    assert list(frame["low"]) == [each.low for each in shown["intervals"].values()]
    whole = shown["confidence"].to_pandas()
    assert len(whole) == 6 + 6 * 50
    assert whole["value"].isna().sum() == 6


def test_an_explanation_and_an_audit_in_words() -> None:
    told = Explanation(7, {"f1": 0.5}, {"prediction": "a"}, {"references": [{"text": "b", "f1": 0.5}, {"text": "c"}]})
    assert repr(told).splitlines() == ["<7: f1 0.5>", "  prediction  a", "  text  f1", "  b     0.5", "  c"]
    audit = Audit(gold=2, predictions=1, scored=2)
    assert repr(audit) == "<audit: 2 questions, 1 predictions, 2 scored>\n  nothing odd"
    audit.add("late", "note", ["a"])
    audit.add("absent", "error", count=1200)
    rows = [line.split() for line in repr(audit).splitlines()[2:]]
    assert rows == [["error", "absent", "1200"], ["note", "late", "1", "a"]]


def test_tables_have_as_many_rows_as_there_is_room_for() -> None:
    rows = [(str(number),) for number in range(ROWS + 5)]
    exactly = Shown("x", (Table((), rows[:LINES]),)).text.splitlines()
    assert len(exactly) == 1 + LINES
    assert exactly[-1] == f"  {LINES - 1}"
    more = Shown("x", (Table((), rows, more=10), Table(("a",), rows))).text.splitlines()
    assert len(more) == 1 + LINES
    assert more[-1] == f"  ... and {ROWS + 5 + 10 - (LINES - 1)} more"
    assert "... and 15 more" in Shown("x", (Table((), rows, more=10),)).html


def test_long_texts_and_many_names_are_cut() -> None:
    assert len(cut("\x1b" * 1000)) == 60
    assert named([]) == "nothing"
    assert named(["a"]) == "a"
    assert named("abcde") == "a, b, c and 2 more"


def test_systems_on_several_benchmarks(tmp_path: Path) -> None:
    for name, step in (("a", 2), ("b", 3)):
        (tmp_path / name).mkdir()
        fullmarks.save_run(scored(step), tmp_path / name / "qa.run.json")
    found = across_folder(tmp_path, sampling=QUICK)
    assert [line.split() for line in repr(found).splitlines()[1:]] == [
        ["benchmark", "score", "a", "b"],
        ["qa", "ExactMatch", "0.5000", "0.6667"],
    ]
    assert ">0.6667</td>" in found._repr_html_()
