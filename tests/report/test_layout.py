"""Texts in columns: nothing is lost, no line is too wide, and no word is broken that has room."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from fullmarks.report.layout import least_width, shared_widths, wrapped

WORDS = st.lists(st.text("abcdé漢-_=/.,%1", min_size=1, max_size=12), max_size=12).map(" ".join)


@given(text=WORDS, width=st.integers(2, 40), in_names=st.booleans())
def test_nothing_is_lost_and_nothing_too_wide(text, width, in_names):
    shown = wrapped(Text(text), width, in_names=in_names).plain
    assert shown.replace("\n", "").replace(" ", "") == text.replace(" ", "")
    assert max(map(cell_len, shown.split("\n"))) <= width


@given(words=st.lists(st.text("abcdefgh", min_size=1, max_size=9), max_size=12), width=st.integers(9, 40))
def test_words_that_have_room_stay_whole(words, width):
    shown = wrapped(Text(" ".join(words)), width).plain
    assert shown.split() == words


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("title=French_and_Indian_War", 24, ["title=French_and_Indian_", "War"]),
        ("title=Economic_inequality", 20, ["title=Economic_", "inequality"]),
        ("members of the Organization", 14, ["members of the", "Organization"]),
        ("a-system-with-a-long-name", 14, ["a-system-with-", "a-long-name"]),
        ("-0.5 to -0.25", 8, ["-0.5 to", "-0.25"]),
        ("sure to 95 % of all", 10, ["sure to", "95 % of", "all"]),
        ("unbreakable", 4, ["unbr", "eaka", "ble"]),
        ("", 4, [""]),
        ("two\nlines", 10, ["two", "lines"]),
    ],
)
def test_where_lines_end(text, width, lines):
    assert wrapped(Text(text), width).plain.split("\n") == lines


def test_sentences_keep_what_is_to_be_typed():
    text = Text("needs 'spacy', which is not installed: pip install 'fullmarks[webqa]'")
    assert wrapped(text, 52, in_names=False).plain.split("\n")[-1] == "pip install 'fullmarks[webqa]'"


def test_styles_survive():
    shown = wrapped(Text.assemble("one ", ("two three", "red")), 7)
    assert [shown.plain[span.start : span.end] for span in shown.spans if span.style == "red"] == ["two", "three"]


def test_least_width():
    assert least_width("title=French_and_Indian_War") == len("French_")
    assert least_width("x" * 500) == 32  # an address does not hold a column open
    assert least_width("漢字") == 2


@given(
    widths=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8), room=st.integers(0, 200)
)
def test_shared_widths(widths, room):
    natural, least = [max(pair) for pair in widths], [min(pair) for pair in widths]
    shared = shared_widths(natural, least, room)
    if shared is None:
        assert sum(least) > room
        return
    assert sum(shared) <= max(room, sum(least))
    assert all(low <= width <= high for low, width, high in zip(least, shared, natural, strict=True))
    assert shared == natural or sum(natural) > room
