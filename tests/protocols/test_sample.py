"""The sample in every benchmark's folder has the result that stands beside it."""

from __future__ import annotations

import pytest

import fullmarks
from fullmarks.errors import MissingDependencyError
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import expected_result, read_sample, sample_folder, sample_names


def test_every_protocol_has_a_sample() -> None:
    assert sample_names() == list(PROTOCOLS.built_in)


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_the_sample_has_its_expected_result(name: str) -> None:
    sample, folder = read_sample(name), sample_folder(name)
    try:
        result = fullmarks.score(name, *sample.arguments(folder), by=sample.by, **sample.keywords(folder))
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert result.official == expected_result(name)
    assert list(result.official) == list(expected_result(name))


@pytest.mark.parametrize("name", PROTOCOLS.built_in)
def test_the_question_worth_a_look_can_be_explained(name: str) -> None:
    sample, folder = read_sample(name), sample_folder(name)
    try:
        told = fullmarks.explain(name, *sample.arguments(folder), id=sample.look_at, **sample.keywords(folder))
    except MissingDependencyError as error:
        pytest.skip(str(error))
    assert str(told.id) == sample.look_at
