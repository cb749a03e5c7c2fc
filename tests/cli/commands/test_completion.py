"""`completion`: the script of each shell, and what is offered for what was typed."""

from __future__ import annotations

import shutil
import subprocess

import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(run, shell):
    ended = run("completion", shell)
    assert ended.code == 0
    assert "_FULLMARKS_COMPLETE" in ended.out
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=ended.out.encode(), check=False).returncode == 0


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("fullmarks sc", ["plain,score"]),
        ("fullmarks score squ", ["plain,squad1", "plain,squad2"]),
        ("fullmarks score squad2 --na", ["plain,--na-prob-file", "plain,--na-prob-thresh"]),
        ("fullmarks score squad2 --on-missing ", ["plain,error", "plain,zero", "plain,skip"]),
        ("fullmarks score nonsense --on", []),
        ("fullmarks score fusionbrain --lexicon wor", ["file,wor"]),
        ("fullmarks compare squ", ["plain,squad1", "plain,squad2"]),
        ("fullmarks compare bert.run", ["file,bert.run"]),
    ],
)
def test_completion(run, monkeypatch, typed, expected):
    monkeypatch.setenv("_FULLMARKS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split(" ")) - 1))
    ended = run()
    assert ended.err == ""
    assert ended.out.split() == expected
