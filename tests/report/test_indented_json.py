"""The same text as Python's own encoder gives."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fullmarks.report.indented_json import indented_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3)
KEYS = st.text() | st.integers() | st.floats() | st.booleans() | st.none()
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner) | st.tuples(inner, inner),
    max_leaves=30,
)


@given(DOCUMENTS, st.booleans())
@settings(max_examples=100, deadline=None)
def test_it_is_the_text_of_the_standard_library(document, ensure_ascii):
    expected = json.dumps(document, indent=2, ensure_ascii=ensure_ascii, default=str)
    assert indented_json(document, ensure_ascii=ensure_ascii) == expected


def test_keys_that_json_has_no_word_for_are_refused():
    with pytest.raises(TypeError, match="keys must be"):
        indented_json({(1, 2): [1]}, ensure_ascii=True)
