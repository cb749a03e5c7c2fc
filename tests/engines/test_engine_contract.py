"""Every engine of this machine keeps the contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fullmarks.engines import ENGINES
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Engine
from fullmarks.engines.here import Here
from tests.engines.contract import CASES

MADE: dict[str, Callable[[], Engine]] = {
    "here": Here,
    "cores:1": lambda: Cores(1),
    "cores:2": lambda: Cores(2),
    "cores:5": lambda: Cores(5),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_contract(case: Callable[[Engine], None], made: str) -> None:
    with MADE[made]() as engine:
        case(engine)


@pytest.mark.parametrize("name", ["here", "cores"])
def test_the_engine_is_found_by_its_name(name: str) -> None:
    engine = ENGINES.get(name).from_text("")
    assert isinstance(engine, Engine)
    assert engine.name == name
