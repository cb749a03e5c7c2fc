"""What is drawn on a page: long lines, tables beside each other, columns left out."""

from __future__ import annotations

from fullmarks.report.drawing import WIDE, Page, beside, draw, fitted, has_room, left_out, line, table

SENTENCE = "a sentence that is longer than the page is wide and says --fail-under f1=80"


def test_long_lines_are_wrapped_on_a_screen_alone():
    assert draw(Page(40), line(f" {SENTENCE}")) == f" {SENTENCE}\n"
    shown = draw(Page(40, is_screen=True), line(f" {SENTENCE}")).splitlines()
    assert all(len(row) <= 40 for row in shown)
    assert [row[:3] for row in shown[1:]] == ["   "] * (len(shown) - 1)
    assert " ".join(" ".join(shown).split()) == SENTENCE


def test_lines_to_copy_are_never_wrapped():
    assert draw(Page(40, is_screen=True), line(SENTENCE, to_copy=True)) == f"{SENTENCE}\n"


def test_tables_stand_beside_each_other_on_a_wide_page():
    def tables(page):
        return [table(page, [name, "n"], [["x", "1"], ["y", "2"]]) for name in ("first", "second", "third")]

    narrow, wide = Page(WIDE - 1), Page(WIDE)
    assert len(draw(narrow, *beside(narrow, tables(narrow))).splitlines()) == 14
    shown = draw(wide, *beside(wide, tables(wide)))
    assert shown.splitlines()[0].split() == ["first", "n", "second", "n", "third", "n"]
    assert len(shown.splitlines()) == 4
    many = beside(wide, [each for _ in range(5) for each in tables(wide)])
    assert all(len(row) <= WIDE for row in draw(wide, *many).splitlines())


def test_titles_give_way_before_cells_and_cells_between_words():
    header, rows = ["slice", "a long title", "n"], [["title=French_and_Indian_War", "[1.00, 2.00]", "402"]]
    whole = draw(Page(52), table(Page(52), header, rows))
    assert "title=French_and_Indian_War  [1.00, 2.00]  402" in whole
    narrow = draw(Page(42), table(Page(42), header, rows))
    assert [row.strip() for row in narrow.splitlines()[-2:]] == ["title=French_and_  [1.00, 2.00]  402", "Indian_War"]


def test_expendable_columns_are_left_out_by_name():
    header, rows = ["score", "p", "p (Holm)", "ties"], [["exact", "<0.0001", "<0.0001", "12345678"]]

    def titles(width, *expendable):
        drawn, dropped = fitted(Page(width), header, rows, words=("score",), expendable=expendable)
        return [column.header.plain.replace("\n", " ") for column in drawn.columns], dropped

    assert titles(80, "p", "ties") == (header, [])
    assert titles(36, "p", "ties") == (["score", "p (Holm)", "ties"], ["p"])
    assert titles(20, "absent", "p", "ties") == (["score", "p (Holm)"], ["p", "ties"])
    assert titles(36) == (header, [])  # nothing may go: it is wrapped instead
    assert has_room(Page(80), header, rows)
    assert not has_room(Page(24), header, rows)
    assert [each.plain for each in left_out(["p", "ties", "p"])] == [
        " left out for want of room: p, ties; a wider terminal and -f json have more"
    ]
    assert left_out([]) == []
