"""`fullmarks import`: what it writes, what it tells, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fullmarks.cli.main import main
from tests.cli.run_cli import MOST_SECONDS, START
from tests.repository import ROOT

LOGS = ROOT / "tests" / "readers" / "logs"
SUCCESS = str(LOGS / "inspect/success.eval")
ERRORS = str(LOGS / "inspect/errors.eval")
FAILED = str(LOGS / "inspect/failed.eval")
ONE = str(next((LOGS / "lm_eval").glob("samples_tiny_one_*")))
MANY = str(next((LOGS / "lm_eval").glob("samples_tiny_many_*")))


def records(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("out", [(), ("-o", "-")], ids=["by default", "dash"])
def test_standard_output(out, capsys):
    assert main(["import", SUCCESS, *out]) == 0
    found = capsys.readouterr()
    assert [record["id"] for record in records(found.out)] == ["q1", "q2", "q3"]
    assert found.err == ""


def test_what_was_left_out_is_told(tmp_path, capsys):
    table = tmp_path / "table.jsonl"
    assert main(["import", ERRORS, ONE, "--only", "task=tiny", "-o", str(table)]) == 0
    found = capsys.readouterr()
    assert found.out == ""
    assert "warning: samples that failed in another tool: 1 (first ids: 'q3'); the first: RuntimeError" in found.err
    assert "note: samples that were not asked for: 3" in found.err
    assert len(records(table.read_text())) == 2
    assert main(["import", ERRORS, "-q"]) == 0
    assert capsys.readouterr().err == ""


def refused(capsys, *words: str) -> str:
    assert main(["import", *words]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    return found.err


def test_nothing_is_written_after_an_error(tmp_path, capsys):
    table = tmp_path / "table.jsonl"
    table.write_text("before")
    assert "none of the 6 samples has filter=x" in refused(capsys, ONE, "--only", "filter=x", "-o", str(table))
    assert "--allow-failed" in refused(capsys, FAILED, "-o", str(table))
    assert table.read_text() == "before"
    assert list(tmp_path.iterdir()) == [table]


def test_repeats_far_apart_leave_nothing_on_standard_output(tmp_path, capsys):
    lines = [{"doc_id": at, "resps": [["a"]], "target": "a"} for at in (*range(5000), 0)]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "1 sample comes again under the same id, such as '0', and nothing tells them apart" in refused(
        capsys, str(path)
    )


def test_misuse(tmp_path, capsys):
    linked = tmp_path / "link.eval"
    linked.symlink_to(SUCCESS)
    assert "given twice" in refused(capsys, SUCCESS, SUCCESS)
    assert "given twice" in refused(capsys, SUCCESS, str(linked))
    log = tmp_path / "samples.jsonl"
    log.write_bytes(Path(MANY).read_bytes())
    assert "would be overwritten" in refused(capsys, str(log), "-o", str(log))
    assert "there is no such file" in refused(capsys, str(tmp_path / "none.eval"))
    assert "the name must end in .jsonl" in refused(capsys, SUCCESS, "-o", str(tmp_path / "table.json"))
    assert "expected COLUMN=VALUE" in refused(capsys, SUCCESS, "--only", "task")
    assert "two values" in refused(capsys, SUCCESS, "--only", "task=a", "--only", "task=b")
    assert "read only once" in refused(capsys, "-", "-")
    assert "--spreadsheet" in refused(capsys, SUCCESS, "--spreadsheet")
    assert main(["import"]) == 2


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.json", '{"q1": "Paris"}', "neither a table nor the log of a tool that is known"),
        ("p.json", "[]", "neither a table nor the log"),
        ("p.json", "{", "neither a table nor the log"),
        ("p.json", '{"eval": {}, "status": "success", "plan"', "seems to be cut off"),
        ("p.jsonl", '{"doc_id": 0, "resps": [["a"]], "target": "a"}\n{"doc_id": 1, "re', "line 2: not valid JSON"),
        ("p.jsonl", "", "there is no sample in it"),
        ("p.jsonl", '{"doc_id": 0, "resps": [["a"]]}\n7\n', "record 2: expected a lm-evaluation-harness sample"),
        ("p.jsonl", '{"doc_id": 0, "doc_id": 1, "resps": [["a"]]}\n', "'doc_id'"),
        ("p.txt", "hello", "neither a table nor the log"),
    ],
)
def test_files_that_are_no_logs(name, content, says, tmp_path, capsys):
    (tmp_path / name).write_text(content)
    assert says in refused(capsys, str(tmp_path / name))


def test_standard_input(run):
    ended = run("import", "-", stdin=Path(MANY).read_bytes())
    assert ended.code == 0
    assert [record["id"] for record in records(ended.out)] == ["q1", "q2", "q3"]


def test_a_table_of_one_tool_and_another_has_all_columns(tmp_path):
    table = tmp_path / "table.csv"
    assert main(["import", MANY, str(LOGS / "inspect/choice.eval"), "-o", str(table)]) == 0
    header = table.read_text().splitlines()[0].split(",")
    assert header[:3] == ["id", "prediction", "references"]
    assert {"filter", "model", "score_choice", "score_exact_match", "log"} <= set(header)


def test_a_pattern_stands_for_its_files(capsys):
    assert main(["import", str(LOGS / "lm_eval/samples_tiny_[mc]*.jsonl"), "--prefix", "task"]) == 0
    found = records(capsys.readouterr().out)
    assert [record["id"] for record in found][::3] == ["tiny_choice/0", "tiny_many/q1"]


def test_a_reader_that_goes_away(tmp_path):
    """More samples than are written at once."""
    lines = [{"doc_id": at, "resps": [["a" * 200]], "target": "a"} for at in range(6000)]
    path = tmp_path / "samples.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    process = subprocess.Popen([*START, "import", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    message = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=MOST_SECONDS) == 141
    assert message == b""


def test_memory_does_not_grow_with_the_log(tmp_path):
    """A log of sixty megabytes in a process that may not hold all of it."""
    path, table = tmp_path / "samples.jsonl", tmp_path / "table.jsonl"
    line = json.dumps({"doc": {"id": "ID", "context": "x" * 10_000}, "doc_id": 0, "resps": [["a"]], "target": "a"})
    with path.open("w") as file:
        file.writelines(line.replace("ID", str(at)) + "\n" for at in range(6_000))
    code = (
        "import resource, sys; from fullmarks.cli.main import main; code = main(sys.argv[1:]);"
        "print(code, next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    if not Path("/proc/self/status").exists():
        pytest.skip("the peak of memory is told by /proc")
    words = ["import", str(path), "-o", str(table)]
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    status, peak = map(int, ended.stdout.split())
    assert status == 0
    assert peak < 80_000
