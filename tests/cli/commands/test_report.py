"""`report`: pages, tables and plots of saved runs."""

from __future__ import annotations

import csv
import gzip

import pytest

from tests.cli.run_cli import SQUAD2, VQA

ANSWERS = '{"bee-1": "fifty"}'


@pytest.fixture
def saved(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("score", "squad2", *SQUAD2, "-f", "full", "-o", "new.run.json").code == 0
    (tmp_path / "answers.json").write_text(ANSWERS)
    words = ("score", "squad2", SQUAD2[0], "answers.json", "--on-missing", "zero", "-q")
    assert run(*words, "-f", "full", "-o", "old.run.json.gz").code == 0
    return "old.run.json.gz", "new.run.json"


def test_a_page(run, saved, tmp_path):
    ended = run("report", *saved, "-o", "report.html", "--title", "Bees", "--score", "f1", "--resamples", 200)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<title>Bees</title>" in page
    assert page.rstrip().endswith("</html>")


def test_a_page_with_the_paragraphs_of_the_gold(run, saved, tmp_path):
    words = ("report", *saved, "--score", "f1", "--resamples", 200)
    assert run(*words, "-o", "without.html").code == 0
    ended = run(*words, "-o", "with.html", "--context", SQUAD2[0])
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert 'id="contexts-0"' not in (tmp_path / "without.html").read_text(encoding="utf-8")
    assert 'id="contexts-0"' in (tmp_path / "with.html").read_text(encoding="utf-8")


def test_the_sentence_on_top_of_a_page(run, saved, tmp_path):
    assert run("report", *saved, "-o", "report.html", "--score", "f1", "--resamples", 200).code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    head = page[page.index('id="headline"') : page.index("<nav")]
    assert "new" in head
    assert "old" in head
    assert "F1 (" in head


@pytest.mark.parametrize(("name", "beginning"), [("t.md", "| system |"), ("t.tex", r"\begin{table}"), ("t.csv", "sys")])
def test_tables_by_the_ending_of_the_file(run, saved, tmp_path, name, beginning):
    assert run("report", *saved, "-o", name, "--resamples", 200).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(beginning)


def test_tables_on_standard_output(run, saved):
    ended = run("report", *saved, "-f", "csv", "--baseline", "new", "--no-intervals", "--resamples", 200)
    rows = list(csv.DictReader(ended.out.splitlines()))
    assert list(rows[0]) == ["system", "exact", "exact.p_holm", "f1", "f1.p_holm"]
    assert [(row["system"], row["f1.p_holm"] == "") for row in rows] == [("old", False), ("new", True)]


def test_plots(run, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="needs matplotlib: make test")
    monkeypatch.chdir(tmp_path)
    for name in ("old", "new"):
        assert run("score", "vqa", *VQA, "-f", "full", "-o", f"{name}.run.json").code == 0
    words = ("report", "old.run.json", "new.run.json", "-f", "markdown", "--plots", "plots", "--resamples", 200)
    ended = run(*words, "--size", "old=1e6", "--size", "new.run.json=2.5e7", "--size-name", "parameters")
    assert (ended.code, ended.err) == (0, "")
    names = ("overall-new", "overall-old", "scaling-overall")
    expected = sorted(f"{name}.{end}" for name in names for end in ("png", "svg"))
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("new.run.json",), "add -o report.html"),
        (("new.run.json", "-o", "x.docx"), "end it in .html"),
        (("new.run.json", "new.run.json", "-o", "x.html"), "given twice"),
        (("missing.json", "-o", "x.html"), "missing.json"),
        (("answers.json", "-o", "x.html"), "not a saved run"),
        (("new.run.json", "-o", "x.html", "--baseline", "other"), "no system 'other'"),
        (("new.run.json", "-o", "x.html", "--images", "."), "no example names a picture"),
        (("new.run.json", "-o", "x.html", "--context", "missing.json"), "missing.json"),
        (("new.run.json", "-f", "markdown", "--by", "title"), "no place for --by: write -f html"),
        (("new.run.json", "-f", "latex", "--images", "."), "no place for --images"),
        (("new.run.json", "-f", "csv", "--title", "x"), "no place for --title"),
        (("new.run.json", "-f", "csv", "--context", SQUAD2[0]), "no place for --context"),
        (("new.run.json", "-o", "x.html", "--no-intervals"), "are for tables"),
        (
            ("new.run.json", "-o", "x.html", "--context", "answers.json"),
            "no question of the runs has a paragraph in it",
        ),
        ((), "RUN"),
    ],
)
def test_wrong_use(run, saved, tmp_path, words, message):
    ended = run("report", *words)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err
    assert not (tmp_path / "x.html").exists()


@pytest.mark.parametrize(
    ("sizes", "hint"),
    [
        (["nobody=1"], "--size nobody=1: expected NAME=NUMBER with one of the systems"),
        (["17"], "expected NAME=NUMBER"),
        (["old=many"], "'many' is no number"),
        (["old=inf"], "'inf' is no number"),
        (["old=1", "old=2"], "two sizes"),
        (["old=1"], "at least two systems, found 1"),
    ],
)
def test_wrong_sizes(run, saved, tmp_path, sizes, hint):
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    given = [word for size in sizes for word in ("--size", size)]
    ended = run("report", *saved, "-f", "markdown", "--plots", tmp_path / "plots", "--resamples", 200, *given)
    assert (ended.code, ended.out) == (2, "")
    assert hint in ended.err


def test_sizes_need_a_folder_for_plots(run, saved):
    ended = run("report", *saved, "-f", "markdown", "--size", "a=1")
    assert ended.code == 2
    assert "--size is for the scaling plot: add --plots FOLDER" in ended.err


def test_a_compressed_table_has_its_format_from_the_name(run, saved, tmp_path):
    assert run("report", *saved, "-o", "t.md.gz", "--resamples", 200).code == 0
    assert gzip.decompress((tmp_path / "t.md.gz").read_bytes()).startswith(b"| system |")


def test_systems_may_have_names(run, saved, tmp_path):
    old, new = saved
    words = ("report", f"first={old}", f"<b>={new}", "-f", "csv", "--resamples", 200)
    rows = list(csv.DictReader(run(*words, "--baseline", "<b>").out.splitlines()))
    assert [(row["system"], row["f1.p_holm"] == "") for row in rows] == [("first", False), ("<b>", True)]
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a=b.json").write_bytes((tmp_path / new).read_bytes())
    rows = list(csv.DictReader(run("report", old, "x=folder", "-f", "csv", "--resamples", 200).out.splitlines()))
    assert [row["system"] for row in rows] == ["old", "x"]
    rows = list(csv.DictReader(run("report", old, "folder/a=b.json", "-f", "csv", "--resamples", 200).out.splitlines()))
    assert [row["system"] for row in rows] == ["old", "a=b"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a=new.run.json,old.run.json.gz",), "a report shows one run of each system, and 'a' has 2"),
        (("a=new.run.json", "a=old.run.json.gz"), "two systems are called 'a'"),
        (("=new.run.json",), "has no name before the '='"),
        (("a=new.run.json", "-o", "new.run.json", "-f", "html"), "same file as the saved run 'new.run.json'"),
    ],
)
def test_names_that_are_refused(run, saved, words, message):
    ended = run("report", *words, *(() if "-o" in words else ("-o", "x.html")))
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


def test_a_folder_for_plots_that_cannot_be_made_is_told_before_anything_is_written(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs matplotlib: make test")
    saved = tmp_path / "run.json"
    assert run("score", "squad2", *SQUAD2, "-f", "full", "-o", saved).code == 0
    ended = run("report", saved, "-o", tmp_path / "page.html", "--plots", saved / "plots")
    assert ended.code == 2
    assert "cannot be made a folder" in ended.err
    assert not (tmp_path / "page.html").exists()
