"""JUnit's verdict: XML that any parser reads, whatever the message holds."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from fullmarks.report.verdict import junit_error


@pytest.mark.parametrize(
    ("message", "read"),
    [("line 1\nline\t2", "line 1\nline\t2"), ("a\x00b\x1bc", "a?b?c"), ('<&>"', '<&>"'), ("ё 北", "ё 北")],
)
def test_a_message_is_read_back_without_what_xml_cannot_hold(message: str, read: str) -> None:
    case = ElementTree.fromstring(junit_error("qa", message)).find("testsuite/testcase/error")
    assert case is not None
    assert case.text == read
    assert case.get("message") == read
