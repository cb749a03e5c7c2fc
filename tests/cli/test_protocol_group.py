"""Commands of which every protocol has its own: their help, and protocols and metrics of other packages."""

from __future__ import annotations

import json

import pytest

from fullmarks.protocols import PROTOCOLS
from tests.cli.run_cli import SQUAD1


@pytest.mark.parametrize("name", ["score", "validate", "explain"])
def test_help_lists_the_protocols(run, name):
    ended = run(name, "--help")
    assert ended.code == 0
    assert all(f"  {protocol} " in ended.out for protocol in PROTOCOLS.names())


@pytest.mark.parametrize("name", ["score", "validate", "explain", "compare", "crosscheck"])
def test_help_says_where_the_options_are(run, name):
    told = run(name, "--help").out
    assert f"For all options: fullmarks {name} PROTOCOL --help\n" in told
    assert ("For saved runs: fullmarks compare RUN.json --help\n" in told) == (name == "compare")
    assert ("one table with all" in " ".join(run(name, "squad2", "--help").out.split())) == (name != "compare")
    assert "one table" not in run(name, "fusionbrain", "--help").out


PLUGIN = """
from array import array
from dataclasses import dataclass
from typing import ClassVar
from fullmarks import Metric, Protocol
from fullmarks.metrics.answers import TokenF1
from fullmarks.protocols.protocol import option
from fullmarks.protocols.squad1.protocol import Squad1

@dataclass(frozen=True)
class Mine(TokenF1):
    name: ClassVar[str] = "mine_f1"
    summary: ClassVar[str] = "a metric from elsewhere"

@dataclass(frozen=True, kw_only=True)
class Other(Squad1):
    name: ClassVar[str] = "other_squad"
    title: ClassVar[str] = "A protocol from elsewhere"
    bonus: int = option(0, "Points for nothing.", flags=("--bonus", "-b"), kind=int)

    def official(self, tally, audit):
        return {"bonus": self.bonus, **super().official(tally, audit)}

class Bare(Metric):
    columns = ("nothing",)
    def rows(self, examples):
        return array("d", [0.0] * len(examples))

class BareProtocol(Protocol):
    pass
"""


@pytest.fixture
def elsewhere(tmp_path, installed):
    """An installed package with a metric, a protocol and what cannot be loaded."""
    (tmp_path / "elsewhere.py").write_text(PLUGIN)
    described = tmp_path / "elsewhere-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(
        "[fullmarks.metrics]\nmine_f1 = elsewhere:Mine\nbroken = nowhere_at_all:Nothing\nbare = elsewhere:Bare\n"
        "[fullmarks.protocols]\nother_squad = elsewhere:Other\nbare = elsewhere:BareProtocol\n"
    )
    installed(tmp_path)


@pytest.mark.usefixtures("elsewhere")
def test_protocols_and_metrics_of_other_packages(run):
    lists = json.loads(run("list", "-f", "json").out)
    assert lists["protocols"]["other_squad"]["title"] == "A protocol from elsewhere"
    assert lists["metrics"]["mine_f1"]["summary"] == "a metric from elsewhere"
    assert "nowhere_at_all" in lists["metrics"]["broken"]["problem"]
    assert "Points for nothing." in run("score", "other_squad", "--help").out
    assert "lacks name, summary" in lists["metrics"]["bare"]["problem"]
    assert "lacks name, title, gold_format" in lists["protocols"]["bare"]["problem"]
    text = run("list", "-f", "text").out
    assert "token_f1" in text
    assert "lacks name, summary" in text
    overview = run("score", "--help")
    assert overview.code == 0
    assert "A protocol from elsewhere" in overview.out
    assert "cannot be used; for the reason: fullmarks list protocols" in overview.out
    assert json.loads(run("score", "other_squad", *SQUAD1, "-b", "7").out)["bonus"] == 7
