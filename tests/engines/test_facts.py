"""What workers say of themselves, and which are refused."""

from __future__ import annotations

import pickle
import platform

import pytest

import fullmarks
from fullmarks.engines.facts import WorkerFacts, check_facts, facts
from fullmarks.errors import WorkerError
from fullmarks.text import kernel

OURS = WorkerFacts("1.1.0", "3.11.7", "c")


def test_the_facts_are_those_of_this_process() -> None:
    assert facts() == (fullmarks.__version__, platform.python_version(), kernel.IMPLEMENTATION)
    assert pickle.loads(pickle.dumps(facts())) == facts()


@pytest.mark.parametrize("theirs", [OURS, OURS._replace(kernel="python"), OURS._replace(python="3.11.14")])
def test_what_gives_the_same_digits_is_taken(theirs: WorkerFacts) -> None:
    check_facts(OURS, theirs)


def test_another_fullmarks_is_refused() -> None:
    with pytest.raises(WorkerError) as caught:
        check_facts(OURS, OURS._replace(fullmarks="1.0.0"))
    assert str(caught.value) == (
        "a worker has fullmarks 1.0.0, this process 1.1.0; their digits may differ. "
        "Install the same version in both places: pip install fullmarks==1.1.0"
    )


def test_another_python_is_refused() -> None:
    with pytest.raises(WorkerError, match=r"a worker has Python 3\.1\.7, this process 3\.11\.7;.* with Python 3\.11$"):
        check_facts(OURS, OURS._replace(python="3.1.7"))
