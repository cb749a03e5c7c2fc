"""The Ray engine keeps the contract of engines, on one to four nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fullmarks.engines.engine import Engine
from fullmarks.engines.ray_cluster import RayCluster
from tests.cluster.ray_nodes import Nodes
from tests.engines.contract import CASES, large_results

pytestmark = pytest.mark.cluster

COUNTS = [1, 2, 4]


@pytest.fixture(scope="module", params=COUNTS)
def engine(request: pytest.FixtureRequest, nodes: Nodes) -> Iterator[Engine]:
    nodes.have(request.param)
    with RayCluster(nodes.address) as engine:
        assert engine.at_once == request.param
        yield engine


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_contract(case: Callable[[Engine], None], engine: Engine) -> None:
    if case is large_results and engine.at_once != 2:
        pytest.skip("gigabytes through one machine's memory: once is enough")
    case(engine)
