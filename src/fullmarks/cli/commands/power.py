"""`fullmarks power`: how small a difference the questions of saved runs can show, and how many one needs."""

from __future__ import annotations

import click

from fullmarks.cli.command_table import ENTRIES, EXIT_CODES
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.options.protocol_options import FILE
from fullmarks.cli.output.progress import progress
from fullmarks.cli.output.streams import chosen_format, emit, format_option, output_page
from fullmarks.errors import UsageError


def _run(context: click.Context) -> None:
    from fullmarks.analysis.power import power
    from fullmarks.analysis.saved import load_run
    from fullmarks.cli.options.places import check_places, named

    given = context.params
    files: tuple[str, ...] = given["runs"]
    if len(files) > 2:
        raise UsageError(f"a plan is made from one saved run or from two, found {len(files)}")
    check_places(named("saved run", *files), named("--plot", given["plot"]))
    if given["plot"] is not None:
        from fullmarks.report.power_tables import check_power_plot

        check_power_plot(given["plot"])
    with progress(quiet=False):
        runs = [load_run(path) for path in files]
        wanted = given["difference"]
        found = power(
            *runs,
            difference=None if wanted is None else wanted / runs[0].scale,
            power=given["power"],
            level=given["level"],
            cluster=given["cluster"],
            score=given["score"],
            correlation=given["correlation"],
            simulate=given["simulate"],
            seed=given["seed"],
        )
    if given["plot"] is not None:
        from fullmarks.report.power_tables import write_power_plot

        write_power_plot(given["plot"], found)
    if chosen_format(given["output_format"]) == "json":
        from fullmarks.report.documents import plain_json

        emit(plain_json(found.to_dict()))
        return
    from fullmarks.report.power_tables import power_text

    emit(power_text(found, output_page()))


command = click.Command(
    "power",
    callback=click.pass_context(lambda context, **_: _run(context)),
    params=[
        click.Argument(["runs"], type=FILE, nargs=-1, required=True, metavar="RUN [RUN]"),
        format_option("text", "json"),
        click.Option(
            ["difference", "--difference"],
            type=float,
            metavar="D",
            help="The difference to be found, in the protocol's own scale: how many questions does it need?",
        ),
        click.Option(
            ["power", "--power"],
            type=float,
            default=0.8,
            show_default=True,
            help="The chance with which a difference is to be found.",
        ),
        click.Option(
            ["level", "--level"],
            type=float,
            default=0.05,
            show_default=True,
            help="The level of the test: the chance of finding a difference where there is none.",
        ),
        click.Option(
            ["correlation", "--correlation"],
            type=float,
            metavar="R",
            help="With one run, how the scores of a second system go with its own; 0, 0.5 and 0.8 by default.",
        ),
        click.Option(["score", "--score"], metavar="NAME", help="The score; the protocol's first one by default."),
        click.Option(
            ["cluster", "--cluster"],
            metavar="COLUMN",
            help="Groups of questions that share a value of this column, such as an article, count as one.",
        ),
        click.Option(
            ["simulate", "--simulate"],
            type=click.IntRange(min=0),
            default=0,
            metavar="N",
            help="Also run the test of compare N times on resampled questions with the difference planted.",
        ),
        click.Option(
            ["seed", "--seed"], type=int, default=0, show_default=True, help="The seed of the random numbers."
        ),
        click.Option(
            ["plot", "--plot"],
            type=LOCAL_PATH,
            metavar="FILE",
            help="Draw the power over the number of questions there, as .svg or .png.",
        ),
    ],
    short_help=ENTRIES["power"].summary,
    help=(
        f"{ENTRIES['power'].summary}\n\n\b\nRUN  a run saved by: fullmarks score ... -f full -o run.json\n\n"
        "From two runs the error of their difference is known; from one the answer depends on the correlation."
    ),
    epilog=EXIT_CODES,
)
