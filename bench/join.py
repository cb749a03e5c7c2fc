"""A join in parts against a join in memory: processor time of both, and the memory of each task.

    python bench/join.py --rows 1000000 --parts 16 squad1 qa

Two tables of JSON lines are joined by id: the gold has three references a question, the predictions stand in another
order. Every run is a process of its own. The tasks of a join in parts run one after the other in one process here, so
that its largest resident set is that of the largest task with the interpreter and all modules.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from fullmarks.engines.here import Here
from fullmarks.evaluate import make_protocol, score
from fullmarks.jobs.job import Asked
from fullmarks.joins.join import joined_parts
from fullmarks.readers.source import Source

WORDS = ("the", "of", "a", "river", "Denver", "1987", "north", "king", "blue", "seven", "and", "Paris", "in", "war")


def write_tables(folder: Path, rows: int) -> None:
    """Both tables."""
    chosen = random.Random(5)
    texts = [" ".join(chosen.choices(WORDS, k=chosen.randint(1, 5))) for _ in range(20_000)]
    for role, order in (("gold", range(rows)), ("predictions", chosen.sample(range(rows), rows))):
        with (folder / f"{role}.jsonl").open("w") as stream:
            stream.writelines(_line(role, each, chosen, texts) for each in order)


def _line(role: str, number: int, chosen: random.Random, texts: list[str]) -> str:
    record: dict[str, Any] = {"id": f"{number:024x}"}
    if role == "gold":
        record["references"] = [chosen.choice(texts) for _ in range(3)]
        record["title"] = f"title {number % 50}"
    else:
        record["prediction"] = chosen.choice(texts)
    return json.dumps(record) + "\n"


def in_memory(protocol: str, folder: Path, parts: int) -> Any:
    """The official result of a join in memory."""
    del parts
    return score(
        protocol, str(folder / "gold.jsonl"), str(folder / "predictions.jsonl"), keep=False, workers=1
    ).official


def in_parts(protocol: str, folder: Path, parts: int) -> Any:
    """The same by a join in parts."""
    rules = make_protocol(protocol, {})
    sources = [Source(str(folder / f"{role}.jsonl"), role) for role in ("gold", "predictions")]
    with Here(str(folder)) as engine:
        tally, audit = joined_parts(
            rules, sources[0], sources[1], engine, Asked((), (), keep=False), parts=parts or None
        )
        return rules.official(tally, audit)


def _measure(way: str, protocol: str, folder: Path, parts: int) -> dict[str, Any]:
    """Processor seconds and megabytes of a process that does this alone."""
    words = [sys.executable, __file__, "--way", way, "--folder", str(folder), "--parts", str(parts), protocol]
    return dict(json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout))


def _do(way: str, protocol: str, folder: Path, parts: int) -> None:
    import resource

    start = time.process_time()
    official = (in_memory if way == "memory" else in_parts)(protocol, folder, parts)
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "megabytes": megabytes, "official": official}))


def main() -> None:
    """Measure both ways, in turns, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocols", nargs="+")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--parts", type=int, default=16)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        _do(given.way, given.protocols[0], given.folder, given.parts)
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        write_tables(folder, given.rows)
        for protocol in given.protocols:
            runs = [
                (_measure("memory", protocol, folder, 0), _measure("parts", protocol, folder, given.parts))
                for _ in range(given.times)
            ]
            if any(whole["official"] != apart["official"] for whole, apart in runs):
                sys.exit(f"{protocol}: the two ways differ: {runs}")
            for way, at in (("memory", 0), ("parts", 1)):
                seconds = min(run[at]["seconds"] for run in runs)
                megabytes = max(run[at]["megabytes"] for run in runs)
                print(f"{protocol} in {way}: {seconds:.2f} s of processor time, {megabytes:.0f} MB")
            ratios = sorted(apart["seconds"] / whole["seconds"] for whole, apart in runs)
            memory = max(run[1]["megabytes"] for run in runs) / max(run[0]["megabytes"] for run in runs)
            print(f"{protocol}: {ratios[len(ratios) // 2]:.2f} times the time, {memory:.2f} times the memory")


if __name__ == "__main__":
    main()
