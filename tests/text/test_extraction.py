"""Answers out of chatty texts: a table of cases, what holds for any text, and what long texts cost."""

from __future__ import annotations

import json
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fullmarks.errors import UsageError
from fullmarks.text.extraction.extractor import EXTRACTION_VERSION, KEEPS_TEXT, SINGLE, Extractor, Step, extractor
from tests.every_case import every_case
from tests.text import long_texts
from tests.text.chatty_answers import CASES

MOST_SECONDS = 8.0
"""What one text of 50,000 characters may take of the processor: the slowest took 0.5 seconds, and a search whose cost
grows with the square of the length, `re.search(r"\\s+$", 50_000 * " " + "x")`, 18 seconds."""
SPECS = [*SINGLE, "choice", "json:answer", r"regex:(\w+)"]
WORDS = st.lists(st.text(string.ascii_letters, min_size=2, max_size=9), max_size=8).map(" ".join)


@every_case({f"{spec} of {text!r}": (spec, text, out, status) for spec, text, out, status in CASES})
def test_chatty_answers(spec: str, text: str, out: str, status: str) -> None:
    made = extractor(spec).extract(text)
    assert (made.text, made.outcomes[-1].status) == (out, status)


def test_there_are_many_of_every_kind() -> None:
    assert len(set(CASES)) == len(CASES) >= 200
    assert {status for *_, status in CASES} == {"one", "none", "several", "empty"}


def test_every_step_is_told() -> None:
    made = extractor("after-think+final-answer+number").extract("<think>1</think> The answer is 5 of 6.")
    assert [tuple(outcome) for outcome in made.outcomes] == [
        ("after-think", "The answer is 5 of 6.", "one"),
        ("final-answer", "5 of 6", "one"),
        ("number", "6", "several"),
    ]


def test_after_nothing_no_step_is_taken() -> None:
    made = extractor("boxed+number").extract("no box, but 5")
    assert [outcome.step for outcome in made.outcomes] == ["boxed"]
    assert made.text == ""


@pytest.mark.parametrize(
    ("options", "text", "out"),
    [(None, "The answer is J.", "J"), (4, "The answer is J.", ""), (12, "The answer is L.", "L"), (4, "(D)", "D")],
)
def test_the_options_of_the_example(options: int | None, text: str, out: str) -> None:
    assert extractor("choice").extract(text, options).text == out


@pytest.mark.parametrize("options", [0, 27, 1000])
def test_impossible_numbers_of_options_do_no_harm(options: int) -> None:
    assert extractor("choice").extract("The answer is B.", options).text == "B"


# What an extractor is made from


@pytest.mark.parametrize(
    ("spec", "steps"),
    [
        ("number", [Step("number")]),
        (" after-think + number ", [Step("after-think"), Step("number")]),
        ("choice:D", [Step("choice", "D")]),
        ("json:a.b+number", [Step("json", "a.b"), Step("number")]),
        (r"last-line+regex:\d+number", [Step("last-line"), Step("regex", r"\d+number")]),
        (r"regex:a+number+b:c", [Step("regex", "a+number+b:c")]),
        ("regex: a", [Step("regex", " a")]),
    ],
)
def test_grammar(spec: str, steps: list[Step]) -> None:
    made = extractor(spec)
    assert list(made.steps) == steps
    assert extractor(str(made)) == made


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", r"there is no extractor '' in ''\. Known: after-think, "),
        ("number+", r"there is no extractor '' in 'number\+'"),
        ("nummber", r"Did you mean 'number'\?"),
        ("regex:", "names nothing to look for"),
        ("json:+number", "names nothing to look for"),
        ("number:3", r"'number' takes nothing after a colon, found 'number:3'"),
        ("choice:d", "the last letter of the options, as in choice:D"),
        ("regex:(", "is not a regular expression"),
    ],
)
def test_what_is_no_extractor(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        extractor(spec)


def test_signature() -> None:
    assert extractor("after-think+number").signature == f"after-think+number:v{EXTRACTION_VERSION}"
    assert extractor("regex:a|n:5|100%\n").signature == f"regex:a%7Cn:5%7C100%25%0A:v{EXTRACTION_VERSION}"


# What holds for any text


@given(text=st.text())
def test_any_text(text: str) -> None:
    for spec in SPECS:
        made = extractor(spec).extract(text)
        status = made.outcomes[-1].status
        if status in ("one", "several"):
            assert made.text, spec
        elif status == "empty" or spec not in KEEPS_TEXT:
            assert made.text == "", spec
        else:
            assert made.text in (text, ""), spec
        if spec.split(":", maxsplit=1)[0] not in ("number", "choice", "json"):
            assert made.text in text, spec


@given(st.text(alphabet="0123456789.,- '/^eE%$€x×{}\\٤٣٫٬−\u00a0 ", max_size=30))
def test_a_number_is_written_plainly_and_stays_what_it_is(text: str) -> None:
    made = extractor("number").extract(text)
    if made.text:
        assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+|\^-?[0-9]+|/[0-9]+(\.[0-9]+)?)?", made.text)
        assert extractor("number").extract(made.text).text == made.text


@given(st.integers(-(10**15), 10**15), st.sampled_from([",", "\u202f", "'"]), WORDS)
def test_thousands(number: int, mark: str, words: str) -> None:
    written = f"{number:,}".replace(",", mark)
    assert extractor("number").extract(f"{words}: {written}.").text == str(number)


@given(WORDS)
def test_no_letter_of_a_word_is_a_choice(words: str) -> None:
    made = extractor("choice").extract(words)
    assert (made.text, made.outcomes[0].status) == ("", "none")


@given(
    WORDS,
    st.sampled_from("ABCDEFGH"),
    st.sampled_from(["The answer is {}.", "Answer: ({})", "**Answer:** {}) yes", "答案：{}"]),
)
def test_an_announced_choice_is_found_after_any_words(words: str, letter: str, form: str) -> None:
    assert extractor("choice").extract(f"{words}.\n{form.format(letter)}").text == letter


@given(st.text(), WORDS)
def test_any_text_comes_out_of_json(value: str, words: str) -> None:
    assume("answer" not in words)
    text = f"{words} {json.dumps({'answer': value})} {words}"
    made = extractor("json:answer").extract(text)
    assert (made.text, made.outcomes[0].status) == (value.strip(), "one" if value.strip() else "empty")


@given(st.text(alphabet="ab{}\\ ", max_size=12))
def test_the_last_box_is_balanced(inside: str) -> None:
    made = extractor("boxed").extract(f"so \\boxed{{{inside}}}")
    plain = re.sub(r"\\.", "", made.text, flags=re.DOTALL)
    assert plain.count("{") == plain.count("}")


def test_an_extractor_is_a_value() -> None:
    assert extractor("number") == Extractor((Step("number"),))
    assert len({extractor("number"), extractor(" number")}) == 1


@pytest.mark.deep
def test_long_texts_cost_no_more_than_their_length() -> None:
    """The bound on the whole stops a step that is worse; that on one text leaves ten times what is needed."""
    program = Path(long_texts.__file__)
    command = [sys.executable, str(program), "50000"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=550, check=True)
    spent = [line.split("\t") for line in run.stdout.splitlines()]
    assert len(spent) == 1_710
    assert [line for line in spent if float(line[0]) > MOST_SECONDS] == []


@pytest.mark.parametrize("frame", ["()", "[]", "{}", "（）", "【】", "「」", "“”", '""', "''", "``", "$$", "**"])
def test_a_letter_in_a_frame_is_clearer_than_a_bare_one(frame: str) -> None:
    made = extractor("choice").extract(f"It may be {frame[0]}B{frame[1]} though some said D yesterday")
    assert (made.text, made.outcomes[-1].status) == ("B", "one")
    made = extractor("choice").extract(f"It may be {frame[0]}B though some said D yesterday")
    assert (made.text, made.outcomes[-1].status) == ("D", "several")
