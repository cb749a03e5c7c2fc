"""`--ci` and its companions: the options of commands that resample examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fullmarks.errors import UsageError

if TYPE_CHECKING:
    from fullmarks.analysis.intervals import Sampling

    _Number = click.ParamType[float]
else:  # older versions of click have it without a type argument
    _Number = click.ParamType

LEVEL = 0.95
SAMPLING = ("ci_method", "resamples", "seed", "cluster")


class Level(_Number):
    """A number between 0 and 1."""

    name = "LEVEL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a percentage or a word is an error that shows how to write it."""
        try:
            level = float(value)
        except ValueError:
            level = 0.0
        if not 0 < level < 1:
            self.fail(
                f"'{value}' is no level between 0 and 1. Write --ci last, or with its value: --ci=0.95", param, ctx
            )
        return level


def interval_option(
    meaning: str = f"The level of the intervals; {LEVEL} where none is given.",
) -> click.Option:
    """`--ci [LEVEL]`; the default meaning is that of commands which always make intervals."""
    return click.Option(
        ["ci", "--ci"],
        is_flag=False,
        flag_value=str(LEVEL),
        type=Level(),
        metavar="[LEVEL]",
        help=meaning,
    )


def sampling_options() -> list[click.Option]:
    """How resampling is done."""
    return [
        click.Option(
            ["ci_method", "--ci-method"],
            type=click.Choice(["auto", "bca", "percentile"]),
            default="auto",
            show_default=True,
            help="How intervals are made: auto takes a formula for means of scores from 0 to 1 (Wilson's; Tango's for "
            "a difference) and the BCa bootstrap otherwise; bca and percentile always resample.",
        ),
        click.Option(
            ["resamples", "--resamples"],
            type=int,
            default=10_000,
            show_default=True,
            help="How many resamples, at most 1000000.",
        ),
        click.Option(
            ["seed", "--seed"], type=int, default=0, show_default=True, help="The seed of the random numbers."
        ),
        click.Option(
            ["cluster", "--cluster"],
            metavar="COLUMN",
            help="Draw whole groups of examples that share a value of this column, such as an article or an image.",
        ),
    ]


def is_given(context: click.Context, name: str) -> bool:
    """Whether the user wrote this option, be it with its default."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def chosen_sampling(given: dict[str, Any], level: float | None) -> Sampling | None:
    """The settings that were given; None where no interval was asked for."""
    if level is None:
        context = click.get_current_context()
        for name in SAMPLING:
            if is_given(context, name):
                raise UsageError(f"--{name.replace('_', '-')} says how intervals are made: add --ci")
        return None
    from fullmarks.analysis.intervals import Sampling

    return Sampling(level, given["ci_method"], given["resamples"], given["seed"], given["cluster"])
