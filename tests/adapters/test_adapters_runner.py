"""The runner of the adapters' tests: an environment is made anew when it must be, and no test may be left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import adapters

REPORT = '<testsuites><testsuite tests="{}" skipped="{}"/></testsuites>'


@pytest.mark.parametrize(
    ("code", "tests", "skipped", "said"),
    [
        (0, 3, 0, ""),
        (0, 3, 1, "1 tests were skipped"),
        (5, 0, 0, "pytest ended with 5"),
        (0, 0, 0, "no test ran"),
        (1, 3, 0, "pytest ended with 1"),
    ],
)
def test_what_is_wrong_with_a_run(tmp_path: Path, code: int, tests: int, skipped: int, said: str) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT.format(tests, skipped))
    complaint = adapters._complaint(code, report)
    assert complaint.startswith(said)
    assert bool(complaint) == bool(said)


def test_every_environment_pins_its_tools_and_has_tests() -> None:
    for name in adapters.names_of_environments():
        environment = adapters.Environment(name, "torch")
        assert adapters.PINNED.findall(environment.requirements), name
        assert list((adapters.TESTS / name).glob("test_*.py")), name


def test_another_torch_is_another_environment() -> None:
    one, other = (adapters.Environment("hugging_face", torch) for torch in ("torch==2.13.0", "torch==2.12.0"))
    assert one.fingerprint != other.fingerprint
    assert adapters.REQUIRES_TORCH.search(one.requirements)
    assert not adapters.REQUIRES_TORCH.search("torchmetrics==1.9.0\ntorch-fidelity\n")
