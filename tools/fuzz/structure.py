"""Files that are built wrongly: `make fuzz-structure`, with CASES=, SEED= and PROTOCOLS=.

    python -m tools.fuzz.structure [--cases N] [--seed N] [--protocols a,b] [--out FOLDER]

One or two places of small valid files are changed: a key is dropped or renamed, a value is null, of another type, too
large, repeated. Scoring them must end with a result whose counts fit together, or with an error that names the file.
Anything else is a violation. It is kept in the folder as a case of `tools.fuzz.run`, which `--replay` runs again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import fullmarks
from fullmarks.protocols import PROTOCOLS
from tools.fuzz.case import Case
from tools.fuzz.json_text import Pairs, Raw
from tools.fuzz.run import KEPT_OF_A_KIND, ROOT, kind_of
from tools.fuzz.run_case import SECONDS, TooSlow
from tools.fuzz.small_files import SmallInput, find_inputs

CASES = 6_000
"""Of every benchmark."""
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 1.0, 0.5, -0.0, 2**63, 10**30, Raw("NaN"), Raw("-Infinity"), Raw("1e999")),
    *("", " ", "1", "x", "yes", "[]", "null", "NaN", "\ud800", "a\udfff", "\x00", "İ", "½", "a\tb", "line\nbreak"),
    *([], [[]], [None], [1], ["a", "b"], [["a"], ["b"]], Pairs(), Pairs([("a", 1)]), Pairs([("text", "a")])),
)
"""What is put in another value's place."""


class Holder:
    """A list or object of a document, and what can be changed in it."""

    def __init__(self, content: Any) -> None:
        self.content = content
        self.has_keys = isinstance(content, Pairs)

    def value(self, at: int) -> Any:
        return self.content[at][1] if self.has_keys else self.content[at]

    def put(self, at: int, value: Any) -> None:
        self.content[at] = (self.content[at][0], value) if self.has_keys else value


def holders_of(document: Any) -> list[Holder]:
    """Every list and object that holds something."""
    found, waiting = [], [document]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list) and each:
            found.append(Holder(each))
            waiting.extend(value for _, value in each) if isinstance(each, Pairs) else waiting.extend(each)
    return found


def change_structure(document: Any, source: Random) -> Any:
    """The document with one place built wrongly; most often deep inside, now and then as a whole."""
    holders = holders_of(document)
    if not holders or source.random() < 0.01:
        return source.choice((*VALUES, [document], Pairs([("data", document)])))
    holder = source.choice(holders)
    at = source.randrange(len(holder.content))
    value, content = holder.value(at), holder.content
    kind = source.randrange(12)
    if kind < 5:
        holder.put(at, deepcopy(source.choice(VALUES)))
    elif kind == 5:
        del content[at]
    elif kind == 6:  # a repeated key, record or element
        content.insert(source.randrange(len(content) + 1), deepcopy(content[at]))
    elif kind == 7:
        holder.put(at, _of_another_type(value, source))
    elif kind == 8 and holder.has_keys:
        content[at] = (source.choice(("", "x", content[at][0].upper(), content[at][0] + " ", "id", "answer")), value)
    elif kind == 9:  # something that stands elsewhere in the document
        other = source.choice(holders)
        holder.put(at, deepcopy(source.choice((other.content, other.value(source.randrange(len(other.content)))))))
    elif holder.has_keys:
        content.append((source.choice(("x", "id", "prediction", "topic", "\ud800")), deepcopy(source.choice(VALUES))))
    else:
        content.append(deepcopy(source.choice(VALUES)))
    return document


def _of_another_type(value: Any, source: Random) -> Any:
    """The same thing in other clothes: in a list, as a text, a number as a float."""
    changed = [[value], [[value]], Pairs([("text", value)]), str(value)]
    if isinstance(value, int):
        changed += [float(value) if abs(value) < 2**53 else 0.5, bool(value), -value]
    if isinstance(value, list):
        changed += [value[0] if value else "", value + value, Pairs((str(at), each) for at, each in enumerate(value))]
    if isinstance(value, Pairs):
        changed += [[each for _, each in value], Pairs(reversed(value))]
    if isinstance(value, str):
        changed += [list(value[:5]), len(value), value.upper(), value + "\ud800"]
    return source.choice(changed)


def make_input(inputs: list[SmallInput], seed: int, number: int) -> SmallInput:
    """The changed input of this number; the small inputs take turns."""
    given = inputs[number % len(inputs)]
    source = Random(f"{seed}:{given.benchmark}:{number}")
    files = list(given.files)
    for _ in range(source.choice((1, 1, 2))):
        at = source.randrange(len(files))
        content = change_structure(deepcopy(files[at].content), source)
        files[at] = type(files[at])(files[at].option, files[at].name, content)
    return SmallInput(given.benchmark, given.origin, files, given.given, given.options)


def outcome(given: SmallInput, folder: Path) -> tuple[str, str]:
    """How scoring ended, "scored" or "refused", and what is wrong with that; nothing in most cases."""
    signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        result = given.score(folder)
        return "scored", _wrong_with(result)
    except fullmarks.FullmarksError as error:
        return "refused", _wrong_with_message(given, error)
    except TooSlow:
        return "refused", f"TooSlow: more than {SECONDS} s\n{traceback.format_exc(limit=-3)}"
    except Exception:  # noqa: BLE001 - that none of them comes out is what is tested
        return "refused", traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_slow(*_: object) -> None:
    raise TooSlow


def _wrong_with(result: fullmarks.Result) -> str:
    audit = result.audit
    counted = sum(finding.count for finding in audit.findings.values())
    if audit.gold > audit.scored + counted:
        return f"{audit.gold} questions, {audit.scored} scored, {counted} counted"
    try:
        json.dumps(result.official)
    except (TypeError, ValueError) as error:
        return f"the official result cannot be written: {error}"
    return ""


def _wrong_with_message(given: SmallInput, error: fullmarks.FullmarksError) -> str:
    """A message has to begin with a place: a file, or the part that it plays where several readers share a check."""
    options = (file.option for file in given.files if file.option)
    places = {"gold", "predictions", *options, *(name for file in given.files for name in _names(file.name))}
    place = getattr(error, "where", "")
    if not any(name in place for name in places):
        return f"an error without a place: {type(error).__name__}: {error}"
    return ""


def _names(name: str) -> tuple[str, ...]:
    return name, Path(name).name, Path(name).parts[0]


def as_case(given: SmallInput) -> Case:
    """The input as a case that `tools.fuzz.run --replay` and the tests can run."""
    files = {file.name: file.bytes() for file in given.files}
    options = [word for file in given.files if file.option for word in (_flag(file.option), f"@{file.name}")]
    for name, value in given.options.items():
        options += [_flag(name)] if value is True else [_flag(name), str(value)]
    return Case(given.benchmark, files, list(given.given), options, "explain", form=f"structure of {given.origin}")


def _flag(option: str) -> str:
    return "--" + option.replace("_", "-")


def fuzz(benchmark: str, cases: int, seed: int, out: Path | None = None) -> tuple[Counter[str], Counter[str]]:
    """How the cases ended, and the kinds of violations; the first of each kind are kept in the folder."""
    inputs = find_inputs(benchmark)
    ended: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(cases):
            given = make_input(inputs, seed, number)
            place = Path(folder) / str(number % len(inputs))
            end, wrong = outcome(given, place)
            ended[end] += 1
            if not wrong:
                continue
            kind = kind_of(wrong)
            kinds[kind] += 1
            if out is not None and kinds[kind] <= KEPT_OF_A_KIND:
                as_case(given).save(out / f"{benchmark}-structure-{seed}-{number}", [wrong])
                told = f"{benchmark}, case {number} ({given.origin}): {wrong}\n"
                print(told.encode("utf-8", "backslashreplace").decode(), flush=True)
            shutil.rmtree(place, ignore_errors=True)
    return ended, kinds


def main() -> int:
    """0 where everything held, 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--protocols", default="")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "fuzz")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    started = time.monotonic()
    for benchmark in filter(None, options.protocols.split(",")) if options.protocols else PROTOCOLS.built_in:
        before = time.monotonic()
        ended, kinds = fuzz(benchmark, options.cases, options.seed, options.out)
        total.update(ended, violations=sum(kinds.values()))
        counts = f"{ended['scored']} scored, {ended['refused']} refused, {sum(kinds.values())} violations"
        print(f"{benchmark}: {counts}, {time.monotonic() - before:.0f} s", flush=True)
        for kind, count in kinds.most_common():
            print(f"    {count} x {kind.encode('utf-8', 'backslashreplace').decode()}", flush=True)
    print(
        f"{total['scored'] + total['refused']} cases in {time.monotonic() - started:.0f} s: {total['scored']} scored, "
        f"{total['refused']} refused, {total['violations']} violations"
    )
    return 1 if total["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
