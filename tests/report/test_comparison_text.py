"""A comparison on a terminal: verdicts in words and colours, as wide as the page, words kept whole."""

from __future__ import annotations

import math
import re

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.report.change_text import shortened
from fullmarks.report.comparison_text import comparison_text, verdict
from fullmarks.report.drawing import Page

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
TITLES = ("title of French_and_Indian_War", "Economic_inequality", "Rhine")
GOLD = [
    {"id": f"question-{at:03}", "references": [f"the answer number {at} of the questions"], "topic": TITLES[at % 3]}
    for at in range(60)
]


def compared(right: int, wrong: int = 0) -> fullmarks.Comparison:
    """A baseline that knows nothing but the first `wrong`, and a system that knows the next `right`."""
    answers = {each["id"]: each["references"][0] for each in GOLD}
    ids = list(answers)
    sides = {"old": set(ids[:wrong]), "new": set(ids[wrong : wrong + right])}
    runs = {
        name: fullmarks.score(
            "squad1", GOLD, {key: text if key in known else "unknown" for key, text in answers.items()}, by="topic"
        )
        for name, known in sides.items()
    }
    return fullmarks.compare(runs, by=("topic",), sampling=Sampling(resamples=100))


@pytest.mark.parametrize(
    ("difference", "p_value", "less", "word"),
    [
        (1.0, 0.01, False, "better"),
        (-1.0, 0.01, False, "worse"),
        (1.0, 0.01, True, "worse"),
        (-1.0, 0.01, True, "better"),
        (1.0, 0.06, False, "undecided"),
        (0.0, 0.01, False, "undecided"),
        (1.0, math.nan, False, ""),
    ],
)
def test_verdicts(difference, p_value, less, word):
    assert verdict(difference, p_value, alpha=0.05, less_is_better=less) == word


def test_colour_says_nothing_that_words_and_signs_do_not():
    for comparison, word, sign, colour in ((compared(30), "better", "+", 32), (compared(0, 30), "worse", "-", 31)):
        shown = comparison_text(comparison, Page(colour=True), 2)
        assert f"\x1b[{colour}m{sign}50.00\x1b[0m" in shown
        assert f"\x1b[{colour}m{word}\x1b[0m" in shown
        plain = comparison_text(comparison, Page(), 2)
        assert "\x1b" not in plain
        assert ESCAPE.sub("", shown).replace(" ", "") == plain.replace(" ", "")


def test_fixed_and_broken_have_their_colours():
    shown = comparison_text(compared(3, 2), Page(colour=True), 1)
    assert "\x1b[1;32m fixed by new: 3 examples, 1 shown\x1b[0m" in shown
    assert "\x1b[1;31m broken by new: 2 examples, 1 shown\x1b[0m" in shown


@pytest.mark.parametrize("width", [60, 80, 100, 120, 160, 200, 300])
def test_no_width_breaks_a_word(width):
    shown = comparison_text(compared(30, 10), Page(width, is_screen=True), 4)
    rows = [row for row in shown.splitlines() if "|norm:" not in row]
    assert max(map(len, rows)) <= width
    known = comparison_text(compared(30, 10), Page(400), 4)
    known += "the same, by other measures; left out for want of room; a wider terminal and -f json have more"
    for word in {word for row in rows for word in row.split() if len(word) > 4 and word.isalpha()}:
        assert re.search(rf"(?<![a-zA-Z]){word}(?![a-zA-Z])", known), word


def test_a_wide_page_has_one_table_of_differences_and_the_scores_of_slices():
    narrow, wide = (comparison_text(compared(30), Page(width), 0) for width in (80, 200))
    assert "the same, by other measures" in narrow
    assert "the same, by other measures" not in wide
    assert re.search(r"score +difference +95 % interval +p +p \(Holm\) +p \(bootstrap\) +p \(McNemar\) +effect", wide)
    assert re.search(r"slice +n +old +new +difference", wide)
    assert re.search(r"topic=Rhine +20 +0\.00 +50\.00 +\+50\.00", wide)


def test_what_is_left_out_is_named():
    narrow = comparison_text(compared(30), Page(62), 0)
    assert " left out for want of room: p, ties" in narrow
    assert "left out for want of room" not in comparison_text(compared(30), Page(200), 0)


def test_examples_stand_in_blocks_where_a_table_has_no_room():
    blocks, rows = (comparison_text(compared(30), Page(width), 1) for width in (60, 200))
    assert (
        "\n  question-000  0.00 -> 1.00  topic=title of French_and_Indian_War\n"
        "    old         unknown\n"
        "    new         the answer number 0 of the questions\n"
        "    references  the answer number 0 of the questions\n"
    ) in blocks
    assert re.search(r"id +change +slice +old +new +references", rows)
    assert re.search(r"question-000 +0\.00 -> 1\.00 +topic=title of French_and_Indian_War +unknown +the answer", rows)


def test_long_texts_end_with_a_word_and_dots():
    assert shortened("one two three", 13) == "one two three"
    assert shortened("one two three", 12) == "one two ..."
    assert shortened("x" * 20, 10) == "xxxxxx ..."
