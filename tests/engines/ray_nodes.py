"""A Ray cluster of processes on this machine, for tests that take nodes from it."""

from __future__ import annotations

import os
import signal
from typing import Any

from tests.processes import PATIENCE_SECONDS

STORE = 250_000_000
"""Bytes of each node's object store."""


class Nodes:
    """The nodes of a cluster that this process has started."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self._cluster: Any = Cluster(initialize_head=True, head_node_args=head)
        self.address: str = self._cluster.address

    def have(self, count: int) -> None:
        """Start or end nodes, each with one CPU, until there are so many."""
        for node in list(self._workers)[count:]:
            self._cluster.remove_node(node, allow_graceful=False)
        for _ in range(count - len(self._workers)):
            self._cluster.add_node(wait=False, num_cpus=1, object_store_memory=STORE)
        self._cluster.wait_for_nodes(PATIENCE_SECONDS)

    def remove_any(self) -> None:
        """Kill all processes of one of the nodes."""
        self._cluster.remove_node(next(iter(self._workers)), allow_graceful=False)

    def remove(self, node_id: str) -> None:
        """Kill all processes of a node."""
        self._cluster.remove_node(self._by_id(node_id), allow_graceful=False)

    def kill_raylet(self, node_id: str) -> None:
        """Kill the process that stands for a node, and leave it to the others to notice."""
        node = self._by_id(node_id)
        (raylet,) = node.all_processes["raylet"]
        os.kill(raylet.process.pid, signal.SIGKILL)
        raylet.process.wait(PATIENCE_SECONDS)
        self._cluster.remove_node(node, allow_graceful=False)

    def end(self) -> None:
        """End all that was started."""
        self._cluster.shutdown()

    @property
    def _workers(self) -> set[Any]:
        workers: set[Any] = self._cluster.worker_nodes
        return workers

    def _by_id(self, node_id: str) -> Any:
        return next(node for node in self._workers if node.node_id == node_id)
