"""Joining a Ray cluster: one that this process uses already, one at an address, one on this machine, or one of our own.

An address is tried before Ray is asked to join it: Ray itself goes on trying for minutes.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fullmarks.engines.choice import available_cores
from fullmarks.errors import UsageError, WorkerError
from fullmarks.optional import require

AUTO, LOCAL = "auto", "local"
"""What an address may be besides a place: a cluster that runs on this machine; a new one for this process alone."""
SECONDS_TO_ANSWER = 3.0
"""How long a cluster may take to answer the first words: one that is there does so in milliseconds."""
FIRST_WORDS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a client of HTTP/2, which Ray speaks, begins: the preface of RFC 9113 and an empty frame of settings."""
SETTINGS_FRAME = 4
"""The kind of the first frame that a server of HTTP/2 sends."""
JOIN_QUIETLY = {"log_to_driver": False, "logging_level": "ERROR"}
ADVICE = "Give the address of a running cluster (HOST:PORT, as 'ray start --head' says it), or none"


def import_ray() -> Any:
    """The package."""
    return require("ray", needed_by="the engine 'ray'", extra="ray")


def join(address: str | None) -> bool:
    """Make this process a driver of a cluster; False where it was one already, and has to stay one."""
    ray = import_ray()
    if ray.is_initialized():
        joined = ray.get_runtime_context().gcs_address
        if address not in (None, "", AUTO, joined):
            raise UsageError(f"this process has joined the Ray cluster at {joined} already; leave out '{address}'")
        return False
    place = _place(address)
    try:
        with _handlers_kept():
            if place is None:
                ray.init(address=LOCAL, num_cpus=available_cores(), include_dashboard=False, **JOIN_QUIETLY)
            else:
                ray.init(address=place, **JOIN_QUIETLY)
    except (OSError, RuntimeError, ValueError, AssertionError, ray.exceptions.RayError) as error:
        where = f"the Ray cluster at {place} cannot be joined" if place else "Ray cannot be started on this machine"
        raise WorkerError(f"{where} ({first_line(error)}). {ADVICE}") from error
    _keep_output_clean()
    return True


def leave() -> None:
    """Leave the cluster; one that was started for this process ends."""
    import_ray().shutdown()


def first_line(error: BaseException) -> str:
    """What an error of Ray says, which may be pages, in one line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].rstrip(".") if lines else type(error).__name__


def _place(address: str | None) -> str | None:
    """HOST:PORT of the cluster to join, which answers there; None if one has to be started."""
    source = "" if address else " (RAY_ADDRESS)"
    address = address or os.environ.get("RAY_ADDRESS") or None
    if address == LOCAL:
        return None
    if address is None or address == AUTO:
        found = _remembered(address)
        if found is not None and _problem(found) is None:
            return found
        if address is None:
            return None
        raise WorkerError(f"no Ray cluster runs on this machine. {ADVICE}")
    if "://" in address:
        raise UsageError(
            f"'{address}' is an address of Ray's client, through which every row would pass twice. Run this on a "
            "machine of the cluster (or as a job: ray job submit), with --engine ray"
        )
    problem = _problem(address)
    if problem is not None:
        raise WorkerError(f"no Ray cluster answers at {address}{source} ({problem}). {ADVICE}")
    return address


def _remembered(address: str | None) -> str | None:
    """The cluster that was started on this machine last, as Ray remembers it; it may be gone. With `auto`, any one."""
    services = require("ray._private.services", needed_by="the engine 'ray'", extra="ray")
    try:
        found: str | None = services.canonicalize_bootstrap_address(address)
    except (AttributeError, ConnectionError, ValueError):  # none is known, or this Ray keeps it elsewhere
        return None
    return found


def _problem(address: str) -> str | None:
    """Why nothing that speaks as Ray does answers at an address; None if something does."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise UsageError(f"'{address}' is no address. {ADVICE}")
    if host in ("localhost", "127.0.0.1", "::1"):  # Ray goes to the machine's own address instead
        host = import_ray().util.get_node_ip_address()
    try:
        with socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_ANSWER) as connection:
            connection.sendall(FIRST_WORDS)
            answer = connection.recv(9)
    except TimeoutError:
        return f"no answer in {SECONDS_TO_ANSWER:g} s"
    except OSError as error:
        return error.strerror or str(error)
    return None if len(answer) > 3 and answer[3] == SETTINGS_FRAME else "what answers there is something else"


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Keep what this process does when it is asked to end: Ray replaces it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _keep_output_clean() -> None:
    """Keep Ray's own messages out of standard output, whatever they are about; what was lost we say ourselves."""
    worker = require("ray._private.worker", needed_by="the engine 'ray'", extra="ray")
    if hasattr(worker, "_worker_logs_enabled"):
        worker._worker_logs_enabled = False
