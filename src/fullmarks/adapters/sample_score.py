"""A score of one sample that a harness can pass around as a number, and the official number that many of them make."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from fullmarks.adapters.samples import Sample, SampleRules
from fullmarks.errors import UsageError


class SampleScore(float):
    """A score, mostly from 0 to 1, that remembers what it was given for. It pickles, and JSON has it as a number."""

    rules: SampleRules
    key: str
    sample: Sample

    def __new__(cls, value: float, rules: SampleRules, key: str, sample: Sample) -> SampleScore:
        """The value, and of what it is a score."""
        made = super().__new__(cls, value)
        made.rules, made.key, made.sample = rules, key, sample
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.rules, self.key, self.sample)


def scored(rules: SampleRules, keys: Sequence[str], sample: Sample) -> dict[str, SampleScore]:
    """What is asked for of a sample; without what it leaves undefined, such as `HasAns_f1` where it has no answer.

    A score is from 0 to 1. Any other number of the official result is what it would be if there were no other sample.
    """
    judged = rules.judge(sample)
    found = {**judged.numbers, **judged.scores}
    return {key: SampleScore(found[key], rules, key, sample) for key in keys if key in found}


def official_numbers(scores: Sequence[Any]) -> dict[str, float]:
    """All official numbers of the samples that these are scores of; none without scores."""
    for each in scores:
        if not isinstance(each, SampleScore):
            raise UsageError(
                f"the aggregation of fullmarks is for scores of fullmarks, found {each!r}. "
                "Give this metric an aggregation of its own, such as mean"
            )
    return scores[0].rules.numbers([each.sample for each in scores]) if scores else {}


def official(scores: Sequence[Any]) -> float:
    """The official number that these scores of samples make together; NaN without any."""
    return official_numbers(scores).get(scores[0].key, math.nan) if scores else math.nan
