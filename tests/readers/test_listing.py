"""Folders, patterns and single files: the same files here and behind an address."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fullmarks.errors import InputError
from fullmarks.readers.listing import files_of

TREE = {
    "part-2.jsonl": "22",
    "part-10.jsonl.gz": "4444",
    "part-1.ndjson": "1",
    "part-0.jsonl": "",
    "_SUCCESS": "",
    "_part-9.jsonl": "9",
    ".part-8.jsonl": "8",
    "a/x[1].csv": "a",
    "a/x1.csv": "b",
    "a/y-1.csv": "c",
    "a/b/z.csv": "d",
    "a/_temporary/0/z.csv": "e",
    "mixed/x.csv": "f",
    "mixed/x.parquet": "g",
    "none/_SUCCESS": "",
    "empty/only.jsonl": "",
}

PATTERNS = {
    "": ["part-1.ndjson", "part-10.jsonl.gz", "part-2.jsonl"],
    "/": ["part-1.ndjson", "part-10.jsonl.gz", "part-2.jsonl"],
    "/part-2.jsonl": ["part-2.jsonl"],
    "/part-*": ["part-1.ndjson", "part-10.jsonl.gz", "part-2.jsonl"],
    "/part-?.jsonl": ["part-2.jsonl"],
    "/part-[12].*": ["part-1.ndjson", "part-2.jsonl"],
    "/part-[!1]*.jsonl*": ["part-2.jsonl"],
    "/a/x[1].csv": ["a/x[1].csv"],
    "/a/x[0-9].csv": ["a/x1.csv"],
    "/a/x[[]1].csv": ["a/x[1].csv"],
    "/a/*.csv": ["a/x1.csv", "a/x[1].csv", "a/y-1.csv"],
    "/*/x*1*.csv": ["a/x1.csv", "a/x[1].csv"],
    "/**/*.csv": ["a/b/z.csv", "a/x1.csv", "a/x[1].csv", "a/y-1.csv", "mixed/x.csv"],
    "/a/**/z.csv": ["a/b/z.csv"],
    "/a/_temporary/*/z.csv": ["a/_temporary/0/z.csv"],
    "/empty": ["empty/only.jsonl"],
}

REFUSED = {
    "/nothing": "there is no such file",
    "/nothing[1": "there is no such file",
    "/nothing-*": "no file fits this pattern",
    "/none": "there is no file in this folder",
    "/*.xyz": "no file fits this pattern",
    "/mixed": "its files are of different kinds, such as x.csv and x.parquet",
    "/mixed/*": "its files are of different kinds, such as x.csv and x.parquet",
}


@pytest.fixture(params=["here", "memory"])
def root(request, tmp_path: Path) -> str:
    if request.param == "here":
        for name, text in TREE.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return str(tmp_path)
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pseudo_dirs[:] = [""]
    for name, text in TREE.items():
        memory.pipe_file(f"/runs/{name}", text.encode())
    return "memory://runs"


@pytest.mark.parametrize("path", PATTERNS)
def test_the_files_of_a_path(root: str, path: str):
    found = files_of(root + path)
    inside = [re.split("(?:runs|test_the_files[^/]*)/", file.path)[-1] for file in found]
    assert [name.removeprefix("/") for name in inside] == PATTERNS[path]
    assert [file.size for file in found] == [len(TREE[name]) for name in PATTERNS[path]]
    assert all(file.stamp.isdecimal() for file in found)


@pytest.mark.parametrize("path", REFUSED)
def test_what_stands_for_no_table(root: str, path: str):
    with pytest.raises(InputError) as caught:
        files_of(root + path)
    assert caught.value.where == root + path
    assert caught.value.problem.startswith(REFUSED[path])


def test_another_content_has_another_stamp_or_size(root: str, tmp_path: Path):
    before = files_of(f"{root}/part-2.jsonl")
    if root.startswith("memory"):
        import fsspec

        fsspec.filesystem("memory").pipe_file("/runs/part-2.jsonl", b"33")
    else:
        (tmp_path / "part-2.jsonl").write_text("33")
    assert files_of(f"{root}/part-2.jsonl") != before
