"""Markdown that shows texts as they are, whatever they hold."""

from __future__ import annotations

import pytest

from fullmarks.report.markdown import Markup, code, escaped, markdown_table


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>"),
        ("</table><!-- x -->", "&lt;/table>&lt;!-- x -->"),
        ("[click](http://x)", "[click\\](http://x)"),
        ("![x][y]", "![x\\][y]"),
        ("one\rtwo\r\nthree\nfour\tfive\u2028six", "one two three four five six"),
        ("*bold* `code` ~~gone~~", "\\*bold\\* \\`code\\` \\~\\~gone\\~\\~"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("&lt;b&gt; &#60; AT&T", "&amp;lt;b&amp;gt; &amp;#60; AT&T"),
        ("\x1b[31mred", "\\\\x1b[31mred"),
        ("half \ud800", "half \\\\ud800"),
        ("exact_match 0.1 -> 0.5 [0.1, 0.9], p < 0.05", "exact_match 0.1 -> 0.5 [0.1, 0.9], p < 0.05"),
        ("naïve 漢字 👩\u200d🚀", "naïve 漢字 👩\u200d🚀"),
    ],
)
def test_texts_stay_texts(text, shown):
    assert escaped(text) == shown


def test_code_spans_hold_backticks():
    assert code("a|b") == "`a|b`"
    assert code("a`b``c\n") == "``` a`b``c  ```"


def test_only_markup_stays_as_it_is():
    table = markdown_table(["system", "f1"], [["<b>", Markup("**1.0**")], ["a|b", "a\\|b"]])
    assert table.splitlines() == [
        "| system | f1 |",
        "|---|---:|",
        "| &lt;b> | **1.0** |",
        r"| a\|b | a\\\|b |",
    ]
