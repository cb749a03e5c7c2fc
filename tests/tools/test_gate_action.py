"""The action of this repository, run as GitHub does: the lines of action.yml in bash, inputs in the environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fullmarks.protocols.sample import sample_folder

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = sample_folder("squad2")
GIVEN = {"protocol": "squad2", "gold": SAMPLE / "gold.json", "predictions": SAMPLE / "predictions.json"}

if shutil.which("bash") is None or os.name == "nt":
    pytest.skip("the lines of the action are run by bash", allow_module_level=True)


class Ended(NamedTuple):
    code: int
    log: str
    summary: str
    outputs: dict[str, str]

    @property
    def errors(self) -> list[str]:
        """The annotations, as GitHub would read the log."""
        found, stopped = [], ""
        for line in self.log.splitlines():
            if stopped:
                stopped = "" if line == f"::{stopped}::" else stopped
            elif line.startswith("::stop-commands::"):
                stopped = line.removeprefix("::stop-commands::")
            elif line.startswith("::error"):
                found.append(line.removeprefix("::error title=fullmarks::"))
        return found


def outputs_of(path: Path) -> dict[str, str]:
    found, lines = {}, path.read_text(encoding="utf-8").splitlines()
    while lines:
        name, end = lines.pop(0).split("<<")
        at = lines.index(end)
        found[name], lines = "\n".join(lines[:at]), lines[at + 1 :]
    return found


@pytest.fixture
def act(tmp_path: Path):  # type: ignore[no-untyped-def]
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))

    def act(step: str = "score", **inputs: Any) -> Ended:
        """Run the step that ends in this word."""
        given = {name: declared.get("default", "") for name, declared in action["inputs"].items()}
        given |= {name.replace("_", "-"): str(value) for name, value in inputs.items()}
        (found,) = [part for part in action["runs"]["steps"] if part.get("run", "").endswith(f" {step}")]
        programs = tmp_path / "bin"
        programs.mkdir(exist_ok=True)
        if not (programs / "python").exists():
            (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            (programs / "python").chmod(0o755)
        files = {"GITHUB_OUTPUT": tmp_path / "output", "GITHUB_STEP_SUMMARY": tmp_path / "summary"}
        for path in files.values():
            path.write_text("")
        variables = {**os.environ, **{name: str(path) for name, path in files.items()}}
        variables |= {"GITHUB_ACTION_PATH": str(ROOT), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        for name, value in found["env"].items():
            variables[name] = given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]]
        done = subprocess.run(shell, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
        summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return Ended(done.returncode, done.stdout + done.stderr, summary, outputs_of(files["GITHUB_OUTPUT"]))

    return act


def test_a_gate_that_passes(act) -> None:  # type: ignore[no-untyped-def]
    ended = act(**GIVEN, fail_under="f1=60\nexact=50")
    assert ended.code == 0
    assert ended.errors == []
    assert json.loads(ended.outputs["result"])["f1"] == 68.75
    assert ended.outputs["signature"].startswith("squad2|norm:squad|")
    assert ended.outputs["passed"] == "true"
    assert "| f1 | 68.7500 |" in ended.summary
    assert "### Gate: passed" in ended.summary


def test_a_gate_that_fails_is_annotated(act) -> None:  # type: ignore[no-untyped-def]
    ended = act(**GIVEN, fail_under="f1=80\nexact=10", fail_over="exact=20")
    assert ended.code == 1
    assert ended.errors == ["f1 >= 80: f1 68.75 is under 80.0", "exact <= 20: exact 50.0 is over 20.0"]
    assert ended.outputs["passed"] == "false"
    assert json.loads(ended.outputs["result"])["exact"] == 50.0
    assert "### Gate: failed" in ended.summary


def test_a_run_becomes_a_baseline(act, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert act(**GIVEN, run_file="base.run.json.gz").code == 0
    worse = dict.fromkeys(json.loads((SAMPLE / "predictions.json").read_text()), "nonsense")
    (tmp_path / "worse.json").write_text(json.dumps(worse))
    ended = act(
        **{**GIVEN, "predictions": "worse.json"}, fail_if_worse="base.run.json.gz:f1", arguments="--worse-by\npoints"
    )
    assert ended.code == 1
    assert len(ended.errors) == 1
    assert "base.run.json.gz" in ended.errors[0]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("protocol", "squad2; touch made"),
        ("gold", "$(touch made)"),
        ("predictions", "`touch made`"),
        ("fail_under", "f1=60'; touch made; '"),
        ("arguments", "--by\n$(touch made)"),
        ("gold", "--help"),
        ("gold", "x\n::error::y.json"),
    ],
)
def test_what_is_given_is_never_run(act, tmp_path: Path, name: str, value: str) -> None:  # type: ignore[no-untyped-def]
    ended = act(**{**GIVEN, name: value})
    assert ended.code == 2
    assert len(ended.errors) == 1
    assert ended.outputs == {}
    assert not (tmp_path / "made").exists()


def test_a_missing_input_is_told(act) -> None:  # type: ignore[no-untyped-def]
    ended = act(**{**GIVEN, "gold": "  "})
    assert (ended.code, ended.errors) == (2, ["the input 'gold' is empty; the action needs it"])


def test_ids_cannot_speak_to_github(act, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = [{"id": "a\n::error::made up", "prediction": "", "references": ["x"]}]
    (tmp_path / "table.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    ended = act(protocol="squad1", gold="table.jsonl")
    assert ended.code == 0
    assert ended.errors == []


def test_what_pip_installs_is_told_by_the_input(act, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ended = act("install", install="--target\n/nowhere")  # words, not options
    assert ended.code != 0
    assert "--target" in ended.log
    assert act("install", install="").code == 0
