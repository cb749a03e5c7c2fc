"""Names to classes: ours, those of other packages, and what goes wrong with both."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints

import pytest

import fullmarks
from fullmarks.registry import Registry


def registry_with(monkeypatch: pytest.MonkeyPatch, **places: str) -> Registry:
    entries = EntryPoints(EntryPoint(name, place, "fullmarks.metrics") for name, place in places.items())
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)
    return Registry("metric", "fullmarks.metrics", {"ours": "fullmarks.metrics.answers:ExactMatch"})


def test_names_of_other_packages_follow_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = registry_with(monkeypatch, theirs="fullmarks.metrics.answers:TokenF1", ours="nowhere:Nothing")
    assert registry.names() == ["ours", "theirs"]
    assert registry.get("theirs").name == "token_f1"
    assert registry.get("ours").name == "exact_match"


@pytest.mark.parametrize("place", ["no_such_package.metrics:Metric", "fullmarks.metrics.answers:NoSuchMetric"])
def test_a_package_that_cannot_be_loaded_is_named(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(fullmarks.UsageError, match=rf"metric 'broken' comes from another package.*'{place}'"):
        registry_with(monkeypatch, broken=place).get("broken")


def test_an_unknown_name_suggests_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(fullmarks.UsageError, match=r"unknown metric 'our'\. Did you mean 'ours'"):
        registry_with(monkeypatch).get("our")
