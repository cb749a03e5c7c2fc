"""What was measured as text, as bench/results.json, and as the tables and the plot of docs/performance.md."""

from __future__ import annotations

import json
import os
import platform
from typing import Any

from case import REPOSITORY, Measured
from memory import MOST_MEGABYTES

RESULTS = REPOSITORY / "bench" / "results.json"
PAGE = REPOSITORY / "docs" / "performance.md"
PLOT = REPOSITORY / "docs" / "performance.svg"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def line(each: Measured) -> str:
    ratio = each.to_dict()["ratio"]
    spread = f"{ratio['median']:7.1f}x ({ratio['lowest']:.1f} to {ratio['highest']:.1f})"
    return f"{each.subject}; {each.data}; {each.size:,}; against {each.peer}: {spread}"


def print_sizes(sizes: list[dict[str, Any]]) -> None:
    for each in sizes:
        print(
            f"{each['size']:>9,} rows: {each['seconds']:.2f} s, {each['microseconds_per_row']:.2f} us a row, "
            f"{each['megabytes']:.0f} MB, with a file of records {each['megabytes_with_records']:.0f} MB"
        )


def print_rest(skipped: dict[str, str], absent: dict[str, str], broken: list[str]) -> None:
    for name, reason in {**skipped, **absent}.items():
        print(f"not measured: {name}: {reason}")
    for each in broken:
        print(f"NOT KEPT: {each}")


def machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def write(
    measured: list[Measured],
    sizes: list[dict[str, Any]],
    skipped: dict[str, str],
    absent: dict[str, str],
) -> None:
    """Keep the results of a complete run in the repository: as data, as tables and as a plot."""
    document = {
        "machine": machine(),
        "ratios": [each.to_dict() for each in measured],
        "sizes": sizes,
        "not_measured": {**skipped, **absent},
    }
    _keep(document)
    plot(measured, sizes)


def renew(measured: list[Measured]) -> None:
    """Put these lines in the place of those that were kept of the same work, and new ones after the others."""
    document = json.loads(RESULTS.read_text(encoding="utf-8"))
    kept = {_work(each): each for each in document["ratios"]}
    kept.update({_work(each): each for each in (one.to_dict() for one in measured)})
    _keep({**document, "machine": machine(), "ratios": list(kept.values())})


def _work(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in ("subject", "data", "size", "peer"))


def _keep(document: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{tables(document)}\n{END}{after}", encoding="utf-8")


def tables(document: dict[str, Any]) -> str:
    found = document["machine"]
    lines = [
        f"Measured with Python {found['python']} on {found['system']} with {found['cores']} cores.",
        "",
        "| work | data | size | against | times faster: median (lowest to highest) |",
        "|---|---|--:|---|--:|",
    ]
    for each in document["ratios"]:
        ratio = each["ratio"]
        spread = f"{ratio['median']:.1f} ({ratio['lowest']:.1f} to {ratio['highest']:.1f})"
        lines.append(f"| {each['subject']} | {each['data']} | {each['size']:,} | {each['peer']} | {spread} |")
    lines += [
        "",
        "| rows | seconds | microseconds a row | memory | memory with `--per-example` |",
        "|--:|--:|--:|--:|--:|",
    ]
    for each in document["sizes"]:
        lines.append(
            f"| {each['size']:,} | {each['seconds']:.2f} | {each['microseconds_per_row']:.2f} "
            f"| {each['megabytes']:.0f} MB | {each['megabytes_with_records']:.0f} MB |"
        )
    return "\n".join(lines)


def plot(measured: list[Measured], sizes: list[dict[str, Any]]) -> None:
    """Time against size on two logarithmic axes, with memory in a second panel."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "fullmarks", "font.size": 10})
    from matplotlib import pyplot

    plain = [(each.size, each.peer_seconds) for each in measured if each.peer == "plain loop"]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    left.loglog(*zip(*plain, strict=True), "o--", color="#999999", label="plain loop")
    left.loglog([each["size"] for each in sizes], [each["seconds"] for each in sizes], "o-", label="fullmarks score")
    left.set(xlabel="rows", ylabel="processor seconds")
    left.legend(frameon=False)
    for key, label in (("megabytes", "scores alone"), ("megabytes_with_records", "with --per-example")):
        right.semilogx([each["size"] for each in sizes], [each[key] for each in sizes], "o-", label=label)
    right.set(xlabel="rows", ylabel="largest resident memory, MB", ylim=(0, MOST_MEGABYTES))
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(PLOT, metadata={"Date": None})
    pyplot.close(figure)
