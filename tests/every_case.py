"""One test over many cases: every case is tried, and the failure names all that do not hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest


def every_case(cases: Mapping[str, tuple[Any, ...]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """A decorator: the function becomes one test that calls it with the arguments of each case in turn."""

    def decorate(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            failed = {}
            for name, arguments in cases.items():
                try:
                    check(*arguments)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told below
                    failed[name] = error
            if failed:
                told = "\n".join(f"{name}: {type(error).__name__}: {error}" for name, error in failed.items())
                summary = f"{len(failed)} of {len(cases)} cases fail:\n{told}"
                raise AssertionError(summary) from next(iter(failed.values()))

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        test.place_as = check  # type: ignore[attr-defined]  # where pytest says that the test is
        return test

    return decorate
