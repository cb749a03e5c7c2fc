"""The mutator: each mutant differs in one place, parses, and leaves alone what no program can see."""

from __future__ import annotations

import ast

from tools.mutate.c_mutants import c_mutants
from tools.mutate.python_mutants import python_mutants
from tools.mutate.rooms import SOURCE, find_rooms
from tools.mutate.run import known_equivalents, named

PROGRAM = '''"""Text with 1 < 2."""
from typing import Any

def run(values: list[int | None], most: int = 3) -> Any:
    """Docstring, 4."""
    if values and len(values) < most:
        raise ValueError(f"{len(values) + 1} is too few, 5")
    check(values)
    return {"é": values[0] if not values else -1}
'''


def test_python_mutants() -> None:
    found = python_mutants(PROGRAM)
    lines = PROGRAM.splitlines()
    changes = set()
    for mutant in found:
        ast.parse(mutant.text)
        other = mutant.text.splitlines()
        changed = [at for at, line in enumerate(lines) if line != other[at]]
        assert changed == [mutant.line - 1]
        changes.add((mutant.before, mutant.after))
    assert changes == {
        ("3", "(4)"),
        ("values and len(values) < most", "(values or len(values) < most)"),
        ("len(values) < most", "(len(values) <= most)"),
        ("check(values)", "pass"),
        ('{"é": values[0] if not values else -1}', "({'é_': values[0] if not values else -1})"),
        ("values[0] if not values else -1", "(values[0] if not not values else -1)"),
        ("not values", "(values)"),
        ("0", "(1)"),
        ("-1", "(1)"),
        ("1", "(2)"),
    }


def test_c_mutants() -> None:
    text = 'int f(int a) /* 1 < 2 */\n{\n    if (a < 64 && !a) { return "5 < 6"; }\n#define X 7\n    return a++;\n}\n'
    found = {(mutant.line, mutant.after) for mutant in c_mutants(text)}
    assert found == {(3, "< -> <="), (3, "64 -> 65"), (3, "&& -> ||"), (3, "! -> nothing"), (5, "++ -> --")}
    assert all("1 < 2" in mutant.text and "5 < 6" in mutant.text and "X 7" in mutant.text for mutant in c_mutants(text))


def test_every_room_has_mutants_and_tests() -> None:
    for room in find_rooms().values():
        assert room.files, room.name
        assert all((SOURCE.parents[1] / test).exists() for test in (*room.own, *room.elsewhere)), room.name


def test_every_protocol_has_tests_named_for_it() -> None:
    room = find_rooms()["protocols"]
    for file in room.files:
        if file.name == "protocol.py" and file.parent.name != "protocols":
            assert set(room.nearest(file)) - {"tests/protocols/test_sample.py"}, file.parent.name
    kernel = find_rooms()["kernel"]
    speed = next(file for file in kernel.files if file.name == "_speed.c")
    assert kernel.nearest(speed) == ["tests/text/test_speed.py"]


def test_equivalents_are_still_there() -> None:
    """A mutant that is excused must be one that the code has: when the line changes, the excuse goes."""
    excused: dict[str, set[tuple[str, str]]] = {}
    for line in known_equivalents():
        name, before, after = (part.strip() for part in line.split(" ;; "))
        excused.setdefault(name, set()).add((before, after))
    assert excused
    gone = {}
    for name, changes in excused.items():
        text = (SOURCE / name).read_text()
        make = c_mutants if name.endswith((".c", ".h")) else python_mutants
        lines = {at for at, line in enumerate(text.splitlines(), 1) if " ".join(line.split()) in dict(changes)}
        gone[name] = changes - {named(text, mutant) for mutant in make(text) if mutant.line in lines}
    assert not any(gone.values()), gone
