"""What a command imports: nothing that its work does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.run_cli import QA, SQUAD2, VQA

HEAVY = {"numpy", "rich", "matplotlib", "pyarrow", "torch", "scipy", "multiprocessing"}

TELL = """
import sys
from fullmarks.cli.main import main
code = main(sys.argv[1:])
print("MODULES", *sorted({name.partition(".")[0] for name in sys.modules} | {name for name in sys.modules}))
sys.exit(code)
"""


def imported(*words: str) -> set[str]:
    ended = subprocess.run([sys.executable, "-c", TELL, *words], capture_output=True, text=True, check=True)
    return set(ended.stdout.rpartition("MODULES")[2].split())


@pytest.mark.parametrize("words", [("--help",), ("--version",), ()], ids=" ".join)
def test_the_overview_imports_no_more_than_its_table(words):
    modules = imported(*words)
    assert not modules & (HEAVY | {"click", "msgspec", "dataclasses", "inspect", "json", "signal", "shutil"})
    ours = {name for name in modules if name.startswith("fullmarks")}
    assert ours <= {
        "fullmarks",
        "fullmarks.cli",
        "fullmarks.cli.command_table",
        "fullmarks.cli.direct",
        "fullmarks.cli.main",
        "fullmarks.cli.output",
        "fullmarks.cli.output.messages",
        "fullmarks.cli.output.streams",
        "fullmarks.cli.run",
        "fullmarks.errors",
        "fullmarks.version",
    }


@pytest.mark.parametrize("words", [("squad2", *SQUAD2), ("vqa", *VQA), ("qa", *QA)], ids=lambda words: words[0])
def test_scoring_into_a_pipe_imports_nothing_heavy(words):
    modules = imported("score", *words, "-f", "json")
    assert not modules & (HEAVY | {"shutil", "importlib.metadata"})
    protocols = {name for name in modules if name.startswith("fullmarks.protocols.")}
    others = {"squad1", "squad2", "vqa", "qa"} - {words[0]}
    assert not protocols & {f"fullmarks.protocols.{name}" for name in others}


@pytest.mark.parametrize("words", [("squad2", *SQUAD2), ("vqa", *VQA)], ids=lambda words: words[0])
def test_the_direct_way_imports_no_more_than_the_scoring(words):
    modules = imported("score", *words)
    assert not modules & (HEAVY | {"click", "shutil", "difflib", "csv", "concurrent", "importlib.metadata"})
    assert {name for name in modules if name.startswith("fullmarks.cli.")} == {
        "fullmarks.cli.direct",
        "fullmarks.cli.main",
        "fullmarks.cli.output",
        "fullmarks.cli.output.messages",
        "fullmarks.cli.output.progress",
        "fullmarks.cli.output.streams",
        "fullmarks.cli.run",
    }


STARTS = {
    "score squad2": (f"from fullmarks.cli.main import main; main({['score', 'squad2', *map(str, SQUAD2)]!r})", 67),
    "overview": ("from fullmarks.cli.main import main; main(['--help'])", 13),
    "import": ("import fullmarks", 2),
    "load": ("import fullmarks; fullmarks.load('squad')", 22),
}
"""How many modules each start may add to `typing` and the decoder: each costs about a quarter of a millisecond."""


@pytest.mark.parametrize(("code", "most"), STARTS.values(), ids=STARTS)
def test_a_start_imports_few_modules(code, most):
    count = "print('MODULES', *sorted({*sys.modules} - known))"
    script = f"import sys, msgspec\nknown = set(sys.modules)\n{code}\n{count}"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    added = ended.stdout.rpartition("MODULES")[2].split()
    assert "dataclasses" not in added
    assert len(added) <= most, added


def test_a_metric_is_loaded_and_computes_without_the_decoder():
    code = "import fullmarks; fullmarks.load('squad').compute(predictions=['a'], references=[['a']])"
    script = f"import sys\n{code}\nprint(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"msgspec", "dataclasses", "inspect"} & set(ended.stdout.split())
