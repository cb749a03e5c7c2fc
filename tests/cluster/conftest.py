"""Ray clusters on loopback, started and ended by the tests that use them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.ray_nodes import Nodes

ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's way to stay on loopback
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",  # one that a test starts would ask for a token, and leave it in the home folder
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "4",
}
FOLDERS = [Path(__file__).parents[2]]
"""Where workers find the modules of tests: what they hold is sent by name."""


def import_path() -> str:
    return os.pathsep.join([*map(str, FOLDERS), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="session", autouse=True)
def ray_environment() -> Iterator[None]:
    """What Ray reads once, when it is imported: tests import it in functions, after this."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="fm-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        os.environ.pop("RAY_ADDRESS", None)
        os.environ.update(ENVIRONMENT, RAY_TMPDIR=folder, PYTHONPATH=import_path())
        Path(folder, "ray").mkdir()
        yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def nodes(ray_environment: None) -> Iterator[Nodes]:
    """A cluster whose head holds the driver and runs no tasks; the tests of a module add nodes to it."""
    pytest.importorskip("ray", reason="Ray is not installed (make test-cluster)")
    nodes = Nodes()
    yield nodes
    nodes.end()
