"""Every engine of this machine keeps the contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fullmarks.engines import ENGINES
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Engine
from fullmarks.engines.here import Here
from tests.engines.contract import CASES, very_large_results

MADE: dict[str, Callable[[], Engine]] = {
    "here": Here,
    "cores:1": lambda: Cores(1),
    "cores:2": lambda: Cores(2),
    "cores:5": lambda: Cores(5),
}
QUICK = ("here", "cores:2")


@pytest.mark.parametrize(
    ("case", "made"),
    [
        pytest.param(case, made, id=f"{case.__name__}-{made}", marks=() if is_quick else pytest.mark.deep)
        for case in CASES
        for made in MADE
        for is_quick in [made in QUICK and case is not very_large_results]
    ],
)
def test_contract(case: Callable[[Engine], None], made: str) -> None:
    with MADE[made]() as engine:
        case(engine)


@pytest.mark.parametrize("name", ["here", "cores"])
def test_the_engine_is_found_by_its_name(name: str) -> None:
    engine = ENGINES.get(name).from_text("")
    assert isinstance(engine, Engine)
    assert engine.name == name
