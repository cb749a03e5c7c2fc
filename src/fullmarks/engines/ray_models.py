"""Neural models on a Ray cluster: a pool of actors for each, which compute the caller's batches in their order.

Ray must have been initialised. Invariant: a batch is computed whole by one actor, with as many threads as here, so that
machines of one kind give the digits of a single process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fullmarks.backends.batches import Opener, using
from fullmarks.engines.engine import warned
from fullmarks.engines.model_pool import ModelPool, Tell
from fullmarks.engines.pool_size import PoolSize
from fullmarks.errors import UsageError


class RayModels:
    """The models that run on the cluster, one pool of actors for each.

    Only the pool at work holds its part of the cluster: another one that stands idle is given up for it.
    """

    def __init__(self, size: PoolSize | None = None, tell: Tell = warned) -> None:
        self._size, self._tell = size or PoolSize(), tell
        self._pools: dict[Opener, ModelPool] = {}

    def open(self, opener: Opener) -> ModelPool:
        """The model; its actors are started when they have something to do."""
        _check_device(opener.device)
        if opener not in self._pools:
            self._pools[opener] = ModelPool(opener, self._size, self._tell, self._make_room)
        return self._pools[opener]

    def close(self) -> None:
        """End all actors. The models can be used again afterwards."""
        for pool in self._pools.values():
            pool.close()

    def _make_room(self, wanted: ModelPool) -> None:
        for pool in self._pools.values():
            if pool is not wanted and not pool.is_busy:
                pool.close()


@contextmanager
def models_on_ray(size: PoolSize | None = None, tell: Tell = warned) -> Iterator[RayModels]:
    """Let all models run on the cluster inside the block; Ray must have been initialised."""
    models = RayModels(size, tell)
    try:
        with using(models.open):
            yield models
    finally:
        models.close()


def _check_device(device: str | None) -> None:
    if device is not None and ":" in device:
        raise UsageError(
            f"device '{device}' names one GPU of one machine; on Ray every actor has GPUs of its own. Leave it out"
        )
