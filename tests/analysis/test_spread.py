"""Changed examples: the largest first, and of one size not all from one slice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

import fullmarks
from fullmarks.analysis.spread import finest, spread


@given(st.lists(st.tuples(st.sampled_from([0.25, 0.5, 1.0]), st.sampled_from("abc"), st.booleans()), max_size=40))
def test_the_largest_come_first_and_slices_take_turns(examples):
    sizes, first, second = ([each[at] for each in examples] for at in range(3))
    order = spread(sizes, [second, first])
    assert sorted(order) == list(range(len(examples)))
    assert [sizes[at] for at in order] == sorted(sizes, reverse=True)
    for size in set(sizes):
        places = [at for at in order if sizes[at] == size]
        seen: Counter[str] = Counter()
        for at in places:  # nobody has a turn more than all who have examples left
            left = {first[other] for other in places} - {
                name for name, count in seen.items() if count == Counter(first[other] for other in places)[name]
            }
            assert all(seen[first[at]] <= seen[name] for name in left)
            seen[first[at]] += 1


def test_without_columns_the_order_of_the_questions_decides():
    assert spread([1.0, 0.5, 1.0, 2.0], []) == [3, 0, 2, 1]
    assert spread([], [[]]) == []


def test_the_finest_column_tells_most():
    assert finest({"one": [1, 1, 1, 1], "two": [1, 2, 1, 2], "three": [1, 2, 3, 3], "ids": [1, 2, 3, 4]}) == "three"
    assert finest({}) is None


def test_a_comparison_shows_examples_of_several_topics():
    gold = [{"id": at, "references": ["yes"], "topic": f"t{at // 10}"} for at in range(40)]
    worse, better = (dict.fromkeys(range(40), answer) for answer in ("no", "yes"))
    runs = {name: fullmarks.score("squad1", gold, run, by="topic") for name, run in (("a", worse), ("b", better))}
    (changes,) = fullmarks.compare(runs, by=("topic",)).changes
    assert [change.slice for change in changes.fixed[:5]] == [
        "topic=t0",
        "topic=t1",
        "topic=t2",
        "topic=t3",
        "topic=t0",
    ]
    assert [change.id for change in changes.fixed[:5]] == [0, 10, 20, 30, 1]
    assert "slice" not in changes.to_dict(1)["fixed"]["examples"][0]
