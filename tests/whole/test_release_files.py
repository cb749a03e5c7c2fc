"""What surrounds the package: metadata, citation, workflows, the navigation of the site; none contradicts another."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.version import __version__

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def text_files() -> list[Path]:
    """The files that people write, in the repository or in an unpacked archive."""
    kinds = {".md", ".py", ".toml", ".yml", ".yaml", ".cff", ".in", ".ipynb", ".css", ".html", ".js", ".mjs"}
    folders = [ROOT / name for name in (".ci", ".github", "bench", "docs", "src", "tests", "tools")]
    found = [
        path for folder in folders for path in folder.rglob("*") if path.suffix in kinds and ".venv" not in path.parts
    ]
    return [*found, *(path for path in ROOT.iterdir() if path.is_file() and path.suffix in {*kinds, ""})]


@pytest.fixture(scope="module")
def setup_script() -> dict[str, Any]:
    """The names of setup.py, and as `given` what it gives to setuptools."""
    setuptools = pytest.importorskip("setuptools", reason="needs setuptools")
    given: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setuptools, "setup", lambda **words: given.update(words))
        patch.chdir(ROOT)
        return {**runpy.run_path("setup.py"), "given": given}


def test_the_version_is_the_same_everywhere(setup_script: dict[str, Any]) -> None:
    assert setup_script["version"]() == __version__
    assert f"\nversion: {__version__}\n" in read("CITATION.cff")
    assert re.search(rf"^## {re.escape(__version__)} ", read("CHANGELOG.md"), re.MULTILINE)
    assert f"rev: v{__version__}\n" in read("docs/guide.md")


def test_the_project_has_one_home(setup_script: dict[str, Any]) -> None:
    home = setup_script["HOME"]
    host, owner = home.rsplit("/", 2)[0], home.rsplit("/", 2)[1]
    named = {
        found
        for path in text_files()
        for found in re.findall(
            rf"{re.escape(host)}/{owner}/[\w-]+", path.read_text(encoding="utf-8", errors="replace")
        )
    }
    assert named == {home}
    urls = setup_script["given"]["project_urls"]
    assert set(urls) == {"Homepage", "Documentation", "Source", "Changelog", "Issues"}
    assert f"repository-code: {home}\n" in read("CITATION.cff")
    assert f"url: {urls['Documentation']}\n" in read("CITATION.cff")


def test_links_of_the_index_page_lead_home(setup_script: dict[str, Any]) -> None:
    home, page = setup_script["HOME"], setup_script["given"]["long_description"]
    assert setup_script["given"]["long_description_content_type"] == "text/markdown"
    relative = [link for link in LINK.findall(read("README.md")) if "://" not in link and not link.startswith("#")]
    assert len(relative) > 40
    assert [link for link in relative if not (ROOT / link.partition("#")[0]).exists()] == []
    assert [link for link in LINK.findall(page) if "://" not in link and not link.startswith("#")] == []
    for link in relative:
        assert f"{home}/blob/v{__version__}/{link})" in page or f"{home}/raw/v{__version__}/{link})" in page
    assert f"{home}/raw/v{__version__}/docs/report.png)" in page
    assert LINK.sub("](x)", page) == LINK.sub("](x)", read("README.md"))  # nothing but links is changed


def test_no_address_of_a_package_index_is_written_out() -> None:
    hosts = [
        ".".join(words) for words in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"))
    ]
    options = [f"--{name}" for name in ("index-url", "extra-index-url", "find-links")]
    found = [
        (path.name, word)
        for path in text_files()
        if path != Path(__file__).resolve()
        for word in (*hosts, *options)
        if word in path.read_text(encoding="utf-8", errors="replace")
    ]
    assert found == []


def test_pythons_are_the_same_everywhere() -> None:
    classified = re.findall(r"Python :: (3\.\d+)", read("pyproject.toml"))
    assert classified == ["3.10", "3.11", "3.12", "3.13", "3.14"]
    built = re.search(r'^build = "(.+)"$', read("pyproject.toml"), re.MULTILINE)
    assert built is not None
    assert built[1].split() == [f"cp{python.replace('.', '')}-*" for python in classified]
    listed = re.findall(r"python: \[(.+)\]", read(".github/workflows/tests.yml"))
    assert [json.loads(f"[{line}]") for line in listed] == [classified, classified]


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / "action.yml"], ids=lambda path: path.name)
def test_foreign_actions_are_pinned_by_commit(path: Path) -> None:
    uses = re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8"))
    assert uses
    for action, comment in uses:
        assert action.startswith("./") or (
            re.search(r"@[0-9a-f]{40}$", action) and re.match(r" # v\d+\.\d+\.\d+$", comment)
        )


def test_an_action_has_one_version() -> None:
    uses = [
        use for path in (*WORKFLOWS, ROOT / "action.yml") for use in re.findall(r"uses: (\S+@\S+)", path.read_text())
    ]
    assert len(set(uses)) == len({use.partition("@")[0] for use in uses})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_only_read(path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]
    for job in workflow["jobs"].values():
        assert "uses" in job or job["timeout-minutes"] <= 90
        assert set(job.get("permissions", {})) <= {"id-token", "pages"}
        assert "environment" in job or "permissions" not in job
        for step in job.get("steps", []):
            assert "${{" not in step.get("run", "")
            assert "checkout@" not in step.get("uses", "") or step["with"]["persist-credentials"] is False


def test_a_release_needs_tests_wheels_and_no_secret() -> None:
    text = read(".github/workflows/release.yml")
    assert "needs: [tests, wheels]" in text
    assert "id-token: write" in text
    assert "secrets" not in text
    assert "password" not in text


def test_inputs_and_outputs_of_the_action_are_documented() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    action = yaml.safe_load(read("action.yml"))
    guide = read("docs/guide.md")
    documented = re.findall(r"^\| `([a-z-]+)` \| .* \| (.+) \|$", guide, re.MULTILINE)
    assert [name for name, _ in documented] == list(action["inputs"])
    shown = {"": "none", "checkout": "the action's own checkout", "3.13": "`3.13`"}
    for name, default in documented:
        given = action["inputs"][name]
        assert default == ("required" if given.get("required") else shown[given["default"]])
        assert given["description"]
    assert all(f"`{name}`" in guide for name in action["outputs"])


def test_inputs_of_the_action_reach_no_shell() -> None:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML")
    action = yaml.safe_load(read("action.yml"))
    handed = {name for step in action["runs"]["steps"] for name in step.get("env", {})}
    assert handed == {f"GATE_{name.upper().replace('-', '_')}" for name in action["inputs"] if name != "python-version"}
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    index = read("docs/index.md")
    named = set(re.findall(r"^(?:.*<)?([\w/-]+)>?$", index[index.index("```{toctree}") :], re.MULTILINE))
    pattern = re.compile("[hilo][anto][rtgh].*")
    assert "[hilo][anto][rtgh]*" in index
    pages = [*DOCS.glob("*.md"), *(DOCS / "notebooks").glob("*.ipynb")]
    names = {path.relative_to(DOCS).with_suffix("").as_posix() for path in pages} - {"index"}
    assert {name for name in names if name not in named and not pattern.fullmatch(name)} == set()
    assert "others" in names


def test_the_reference_has_every_public_name_once() -> None:
    listed = re.findall(r"^\.\. auto\w+:: fullmarks\.(\w+)$", read("docs/python.md"), re.MULTILINE)
    assert sorted([*listed, "__version__"]) == fullmarks.__all__


@pytest.mark.parametrize("path", sorted((DOCS / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5
    assert [(cell["outputs"], cell["execution_count"]) for cell in cells] == [([], None)] * len(cells)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_the_container_has_no_root_and_no_compiler() -> None:
    stages = read("Dockerfile").split("\nFROM ")[1:]
    assert len(stages) == 2
    assert "gcc" in stages[0]
    assert "gcc" not in stages[1]
    assert stages[1].index("USER 1000") < stages[1].index("ENTRYPOINT")
    copied = {name for line in re.findall(r"^COPY (?!--)(.+) \S+$", stages[0], re.MULTILINE) for name in line.split()}
    kept = set(re.findall(r"^!(\S+)$", read(".dockerignore"), re.MULTILINE))
    assert copied == kept
