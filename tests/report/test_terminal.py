from __future__ import annotations

import re

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling, result_confidence
from fullmarks.report.terminal import MOST_SLICES, Page, audit_text, explanation_text, line, result_text, table
from fullmarks.types import Audit, Explanation, FindingKind


@pytest.fixture
def result():
    examples = [
        {"id": n, "prediction": "a cat", "references": ["cat" if n % 2 else "dog"], "topic": f"t{n % 3}"}
        for n in range(6)
    ]
    return fullmarks.score("qa", examples, by=("topic",))


def test_no_line_is_wider_than_the_page(result):
    for width in (60, 80, 120):
        text = result_text(result, Page(width), by=["topic"])
        drawn = [row for row in text.splitlines() if result.signature not in row]
        assert max(map(len, drawn)) <= width
        assert "exact_match" in text  # the names of scores are never cut
        assert "corpus_bleu_4" in text


def test_the_signature_stays_in_one_line(result):
    assert f" {result.signature}\n" in result_text(result, Page(40))


def test_colour_only_when_wanted(result):
    assert "\x1b[" not in result_text(result, Page())
    assert "\x1b[1m" in result_text(result, Page(colour=True))


def test_ascii_only(result):
    result_text(result, Page(ascii_only=True), by=["topic"]).encode("ascii")


def test_levels_of_findings(result):
    result.audit.add("odd things", "warning", ["q1"])
    result.audit.add("small things", "note", ["q2"])
    assert "warning: odd things" in result_text(result, Page())
    notes = result_text(result, Page(), levels=("note",))
    assert "odd things" not in notes
    assert "note: small things" in notes


def test_notes_of_a_result_are_brief():
    """Empty answers are usual in SQuAD 2.0: the ids are for `validate` and JSON."""
    shown = fullmarks.score("qa", {"q1": ["a"], "q2": ["b"]}, {"q1": "", "q2": "b"})
    assert " note: empty predictions: 1\n" in result_text(shown, Page())
    assert " note: empty predictions: 1 (first ids: 'q1')\n" in audit_text(shown.audit, Page(), "fine")


def test_audit_shows_errors_first():
    audit = Audit(3, 2, 2)
    audit.add("n", "note", ["1"])
    audit.add("w", "warning", ["2"])
    audit.add("e", "error", ["3"])
    text = audit_text(audit, Page(), "cannot be scored")
    assert text.index("error") < text.index("warning") < text.index("note") < text.index("cannot be scored")
    assert text.startswith(" 3 questions, 2 predictions, 2 to score\n")
    assert audit_text(Audit(1, 1, 1), Page(), "can be scored").startswith(" 1 question, 1 prediction, 1 to score\n")


def test_advice_stands_quietly_below_its_finding(result):
    kind = FindingKind("odd-things", "odd things", "Look at them")
    result.audit.add(kind, "warning", ["q1"])
    result.audit.add(kind, "warning", ["q2"])
    result.audit.add("small things", "note", ["q2"])
    shown = audit_text(result.audit, Page(), "can be scored")
    assert " warning: odd things: 2 (first ids: 'q1', 'q2')\n   Look at them\n" in shown
    assert " note: small things: 1 (first ids: 'q2')\n can be scored\n" in shown
    assert "\x1b[2m   Look at them\x1b[0m" in audit_text(result.audit, Page(colour=True), "")
    assert "Look at them" not in result_text(result, Page())


def test_explanation_with_wide_tables_stands_upright():
    rows = [{"reference": "word " * 30, "f1": 0.5}, {"reference": "short", "f1": 1.0}]
    text = explanation_text(
        Explanation("q", {"f1": 1.0}, {"tokens": ["a", "b"], "empty": ""}, {"references": rows}), Page()
    )
    assert "[a] [b]" in text
    assert "empty   ''" in text
    assert text.count("reference  ") == 2
    narrow = explanation_text(Explanation("q", {"f1": 1.0}, {}, {"references": rows[1:]}), Page())
    assert narrow.count("reference  ") == 1


def test_texts_are_never_markup():
    assert line("[red]x[/red]").plain == "[red]x[/red]"
    assert line("a\tb\x1b\u202e").plain == "a\\tb\\x1b\\u202e"
    assert table(Page(), ["[b]"], [["[i]"]]).columns[0].header.plain == "[b]"


def test_of_many_slices_the_largest_are_shown():
    kinds = [f"kind {number}" for number in range(200)] + ["kind 7"] * 3 + ["kind 150"] * 2
    rows = [{"id": at, "prediction": "a", "references": ["a"], "kind": kind} for at, kind in enumerate(kinds)]
    result = fullmarks.score("squad2", rows, by="kind")
    text = result_text(result, Page(), by=("kind",))
    _, *shown = [row.split("  ")[1] for row in text.splitlines() if row.startswith("  kind ")]  # after the heading
    assert len(shown) == MOST_SLICES
    assert shown[:4] == ["kind 7", "kind 150", "kind 0", "kind 1"]
    assert f"kind: the {MOST_SLICES} largest of 200 values; all of them: -f csv or -f full" in text
    few = fullmarks.score("squad2", rows[:MOST_SLICES], by="kind")
    assert "largest" not in result_text(few, Page(), by=("kind",))


def test_few_values_of_many_scores_stand_across():
    result = fullmarks.score("qa", [{"id": 1, "prediction": "cat", "references": ["cat"], "topic": "t"}], by=("topic",))
    shown = result_text(result, Page(60), by=("topic",))
    assert re.search(r"\n  topic +t\n ─+\n  exact_match +1\.0000\n  token_f1 +1\.0000\n", shown)


def test_intervals_stand_beside_their_numbers(result):
    confidence = result_confidence(result, ("topic",), Sampling(resamples=50))
    shown = result_text(result, Page(), by=("topic",), confidence=confidence)
    assert re.search(r"\n  ExactMatch +0\.5000 +\[0\.\d{4}, 0\.\d{4}\] +0\.\d{4}\n", shown)
    assert re.search(r"\n  t0 +exact_match +0\.5000 +\[0\.\d{4}, 0\.\d{4}\] +0\.\d{4}  2\n", shown)
    assert " intervals: " in shown
    narrow = result_text(result, Page(52), by=("topic",), confidence=confidence)
    assert " left out for want of room: standard error;" in narrow
    assert "corpus_bleu_4" in narrow


def test_an_explanation_breaks_no_title():
    rows = [{"reference": "a", "normalised": "a", "matched": "a", "precision": 1.0, "recall": 1.0, "f1": 1.0}]
    for width in (40, 50, 60, 80):
        shown = explanation_text(Explanation("q", {"f1": 1.0}, {}, {"references": rows}), Page(width))
        assert all(title in shown for title in rows[0])
