"""The same digits on a cluster: numbers, slices, audit, intervals and records are those of one process."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.intervals import Sampling, result_confidence
from fullmarks.engines.cores import Cores
from fullmarks.engines.engine import Engine
from fullmarks.engines.ray_cluster import RayCluster
from fullmarks.errors import FullmarksError
from fullmarks.readers import shards
from fullmarks.report.part_records import PartRecords
from tests.engines.ray_nodes import Nodes
from tests.loopback_storage import KEY, SECRET, loopback_server

pytestmark = pytest.mark.cluster

KILLED = 3
"""How many workers a round loses at most: a task that loses more than five is given up."""
WORDS = ["the cat", "a dog", "Paris", "42", "", "блин", "naïve"]


def rows(count: int, seed: int = 0) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    return [
        {
            "id": f"q{number}",
            "prediction": chance.choice(WORDS),
            "references": chance.choices(WORDS[:4], k=chance.randint(1, 3)),
            "kind": chance.choice(["who", "what", None, "why"]),
            "article": f"a{number // 7}",
        }
        for number in range(count)
    ]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def shown(protocol: str, *files: Any, **options: Any) -> Any:
    """Everything that a run shows: the result with its audit, its intervals; or its error."""
    sampling = Sampling(cluster=options.get("cluster"))
    try:
        result = fullmarks.score(protocol, *files, keep=False, by="kind", intervals=True, **options)
    except FullmarksError as error:
        return type(error), str(error)
    return result.to_dict(), result_confidence(result, ("kind",), sampling).to_dict()


@pytest.fixture(scope="module")
def ray_engine(nodes: Nodes) -> Iterator[RayCluster]:
    nodes.have(1)
    with RayCluster(nodes.address) as engine:
        engine.tell = print
        yield engine


@pytest.fixture(scope="module", params=["cores", "ray-1", pytest.param("ray-2", marks=pytest.mark.deep), "ray-4"])
def engine(request: pytest.FixtureRequest, nodes: Nodes, ray_engine: RayCluster) -> Iterator[Engine]:
    """The cores of this machine, or a cluster of so many nodes."""
    if request.param == "cores":
        with Cores(2) as cores:
            yield cores
        return
    nodes.have(int(request.param[-1]))
    yield ray_engine


@pytest.fixture(autouse=True)
def _shards_of_odd_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SMALLEST", 7_777)
    monkeypatch.setattr(shards, "LARGEST", 7_777)


def test_one_table(engine: Engine, tmp_path: Path) -> None:
    table = write(tmp_path / "table.jsonl", rows(1500))
    for protocol, options in (("squad1", {}), ("qa", {"cluster": "article"}), ("squad2", {"cluster": "article"})):
        assert shown(protocol, table, engine=engine, **options) == shown(protocol, table, engine="here", **options)


def test_a_folder_of_parquet_files(engine: Engine, tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "table"
    folder.mkdir()
    for number in range(4):
        part = arrow.Table.from_pylist(rows(1000)[250 * number : 250 * (number + 1)])
        parquet.write_table(part, folder / f"part-{number}.parquet", row_group_size=40)
    assert shown("squad1", folder, engine=engine) == shown("squad1", folder, engine="here")


def test_what_is_wrong(engine: Engine, tmp_path: Path) -> None:
    repeated, broken = rows(1200), rows(1200)
    repeated[1100]["id"], repeated[600]["id"] = "q3", "q2"
    broken[900]["references"] = [7]
    for name, records in (("repeated", repeated), ("broken", broken)):
        table = write(tmp_path / f"{name}.jsonl", records)
        whole = shown("squad1", table, engine="here")
        assert issubclass(whole[0], FullmarksError)
        assert shown("squad1", table, engine=engine) == whole


def test_gold_and_predictions_that_are_not_held(engine: Engine, tmp_path: Path) -> None:
    records = rows(900)
    gold = [{key: value for key, value in record.items() if key != "prediction"} for record in records]
    given = [{"id": record["id"], "prediction": record["prediction"]} for record in records if record["id"][-1] != "7"]
    random.Random(1).shuffle(given)
    files = (
        write(tmp_path / "gold.jsonl", gold),
        write(tmp_path / "given.jsonl", [*given, {"id": "stranger", "prediction": "x"}]),
    )
    for options in ({"on_missing": "zero"}, {"on_missing": "skip"}, {}):
        whole = shown("squad1", *files, engine="here", **options)
        assert shown("squad1", *files, engine=engine, spill=str(tmp_path / "spilled"), **options) == whole


def test_records_in_parts(engine: Engine, tmp_path: Path) -> None:
    table = write(tmp_path / "table.jsonl", rows(1500))
    parts = PartRecords(str(tmp_path / "scores"))
    parts.begin(resume=False)
    fullmarks.score("squad1", table, keep=False, engine=engine, write=parts, checkpoint=parts.checkpoint)
    parts.finish()
    written = b"".join(path.read_bytes() for path in sorted((tmp_path / "scores").glob("part-*"))).splitlines()
    assert list(map(json.loads, written)) == list(fullmarks.score("squad1", table).per_example)


def test_a_table_in_object_storage(ray_engine: RayCluster) -> None:
    data = "".join(json.dumps(record) + "\n" for record in rows(1500)).encode()
    with loopback_server() as server:
        import boto3

        place = server.url.split("://")[1]
        client = boto3.client(
            "s3", endpoint_url=server.url, aws_access_key_id=KEY, aws_secret_access_key=SECRET, region_name="us-east-1"
        )
        client.create_bucket(Bucket="bucket")
        for number in range(2):
            half = data.splitlines(keepends=True)[750 * number : 750 * (number + 1)]
            client.put_object(Bucket="bucket", Key=f"runs/part-{number}.jsonl", Body=b"".join(half))
        settings = f"endpoint_override={place}&scheme=http&region=us-east-1"
        address = f"s3://{KEY}:{SECRET}@bucket/runs/?{settings}"
        found = shown("squad1", address, engine=ray_engine)
        assert found == shown("squad1", address, engine="here")
        assert found[0]["n"] == 1500
        assert SECRET not in json.dumps(found)


def test_limits_of_the_caller_hold_on_the_cluster(
    ray_engine: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = write(tmp_path / "table.jsonl", [*rows(500), {"id": "x", "prediction": "a " * 5000, "references": ["a"]}])
    monkeypatch.setenv("FULLMARKS_MAX_SIZE", "4KiB")
    whole = shown("squad1", table, engine="here")
    assert "--max-size" in whole[1]
    assert shown("squad1", table, engine=ray_engine) == whole
    monkeypatch.delenv("FULLMARKS_MAX_SIZE")
    assert shown("squad1", table, engine=ray_engine)[0]["n"] == 501


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(1, 5))])
def test_workers_that_are_killed_while_they_score(
    seed: int, nodes: Nodes, ray_engine: RayCluster, tmp_path: Path
) -> None:
    nodes.have(2)
    table = write(tmp_path / "table.jsonl", rows(3000, seed))
    whole = shown("squad1", table, engine="here")
    over = threading.Event()

    def kill_some() -> None:
        chance, killed = random.Random(seed), 0
        while killed < KILLED and not over.wait(chance.uniform(0.05, 0.3)):
            workers = [pid for pid in our_processes() if is_worker(name_of(pid))]
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    killed += 1

    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        assert shown("squad1", table, engine=ray_engine) == whole
    finally:
        over.set()
        killer.join()


def our_processes() -> list[int]:
    """The processes that this one's cluster has started: they have its folder in their environment."""
    folder = os.environ["RAY_TMPDIR"].encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if folder in (entry / "environ").read_bytes() and int(entry.name) != os.getpid():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def is_worker(name: str) -> bool:
    """Whether this is a process that does tasks: the agents of a node take the node with them, that of the head too."""
    return name.startswith("ray::") and "Agent" not in name


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
