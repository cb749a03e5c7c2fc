"""Hashes of ids: both kernels against the xxhash package, against fixed numbers and against each other."""

from __future__ import annotations

import os
import subprocess
import sys
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.text import hashes

KERNELS: list[Any] = [pytest.param(hashes, id="python")]
try:
    from fullmarks.text import _speed

    KERNELS.append(pytest.param(_speed, id="c"))
except ImportError:  # then the Python function is held against the package alone
    pass
BOTH = pytest.mark.parametrize("kernel", KERNELS)

# xxhash 4.1.0: xxh64_intdigest(bytes, seed) of a text's UTF-8 with seed 0, of a number's eight bytes with seed 1,
# of hex(number) with seed 2.
FIXED: dict[str | int, int] = {
    "": 17241709254077376921,
    "1": 13237225503670494420,
    "q0000001": 16444461608404748580,
    "56be4db0acb8001400a502ec": 12509607948536328305,
    "вопрос 7": 15179685102263445808,
    "a text of more than thirty-two bytes, which is hashed in stripes": 16341120612155558064,
    1: 10014674984644089609,
    0: 2506089352882295055,
    -1: 781363619849261349,
    2**63 - 1: 5664489583135304064,
    -(2**63): 14623429240288638750,
    2**63: 1236170863604957385,
    -(2**63) - 1: 15224136343509469426,
}
LENGTHS = [*range(72), 95, 96, 97, 255, 256, 1000]


def by_package(identifier: str | int, *, as_text: bool = False) -> int:
    package = pytest.importorskip("xxhash", reason="needs xxhash: make install")
    content, seed = b"", 0
    if as_text or isinstance(identifier, str):
        content = str(identifier).encode("utf-8", "surrogatepass")
    elif -(2**63) <= identifier < 2**63:
        content, seed = identifier.to_bytes(8, "little", signed=True), 1
    else:
        content, seed = hex(identifier).encode(), 2
    return int(package.xxh64_intdigest(content, seed))


@BOTH
def test_hashes_never_change(kernel: Any) -> None:
    assert dict(zip(FIXED, kernel.id_hashes(list(FIXED)), strict=True)) == FIXED


@BOTH
def test_texts_of_every_length_have_the_hash_of_the_package(kernel: Any) -> None:
    for letters in ("qx7-", "ж", "é漢", "😀z"):
        texts = [(letters * length)[:length] for length in LENGTHS]
        assert kernel.id_hashes(texts).tolist() == [by_package(text) for text in texts]


EVERY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=80)
"""Lone surrogates are among them."""
NUMBERS = st.one_of(
    st.integers(), st.integers(-(2**65), 2**65), st.sampled_from([2**63, 2**63 - 1, -(2**63), -(2**63) - 1])
)


@given(ids=st.lists(st.one_of(EVERY_TEXT, NUMBERS), max_size=8))
def test_ids_have_the_hash_of_the_package(ids: list[str | int]) -> None:
    for as_text in (False, True):
        wanted = [by_package(each, as_text=as_text) for each in ids]
        for kernel in KERNELS:
            found = kernel.values[0].id_hashes(ids, as_text=as_text)
            assert (found.typecode, found.tolist()) == ("Q", wanted), kernel.id


@pytest.mark.skipif(len(KERNELS) == 1, reason="needs the compiled kernel: make install")
@given(ids=st.lists(st.one_of(EVERY_TEXT, NUMBERS), max_size=8), as_text=st.booleans())
def test_both_kernels_hash_alike(ids: list[str | int], as_text: bool) -> None:
    assert _speed.id_hashes(ids, as_text=as_text) == hashes.id_hashes(ids, as_text=as_text)


@BOTH
def test_a_number_and_its_text_meet_only_as_texts(kernel: Any) -> None:
    numbers = [0, 1, -1, 10, 2**63 - 1, -(2**63), 2**63, -(2**80), 10**40]
    texts = list(map(str, numbers))
    assert kernel.id_hashes(numbers, as_text=True) == kernel.id_hashes(texts) == kernel.id_hashes(texts, as_text=True)
    assert not set(kernel.id_hashes(numbers)) & set(kernel.id_hashes(texts))
    assert len(set(kernel.id_hashes(numbers))) == len(numbers)


@BOTH
def test_what_is_equal_has_the_same_hash(kernel: Any) -> None:
    class Number(int):
        def __repr__(self) -> str:
            return "seven"

        __str__ = __repr__

    class Word(str):
        __slots__ = ()

    for as_text in (False, True):
        odd = [True, Number(7), Number(2**70), Word("x"), Word("ж")]
        plain = [1, 7, 2**70, "x", "ж"]
        assert kernel.id_hashes(odd, as_text=as_text) == kernel.id_hashes(plain, as_text=as_text)


@BOTH
def test_numbers_too_large_to_be_written_are_hashed(kernel: Any) -> None:
    large = [10**5000, 10**5000 + 1, -(10**5000)]
    assert len(set(kernel.id_hashes(large))) == 3
    if hasattr(sys, "get_int_max_str_digits"):
        with pytest.raises(ValueError, match="digits"):
            kernel.id_hashes(large, as_text=True)


@BOTH
def test_ids_are_texts_or_whole_numbers(kernel: Any) -> None:
    assert kernel.id_hashes([]) == array("Q")
    assert kernel.id_hashes(("1", 1)) == kernel.id_hashes(["1", 1])
    for bad in (None, 1.0, b"1", ["1"]):
        with pytest.raises(TypeError, match=f"id 1 is of type {type(bad).__name__}, expected str or int"):
            kernel.id_hashes(["x", bad])
    with pytest.raises(TypeError):
        kernel.id_hashes(None)


@pytest.mark.parametrize("name", ["c", "python"])
def test_another_process_hashes_alike(name: str) -> None:
    script = "from fullmarks.text.kernel import id_hashes; print(*id_hashes(['q1', 'ж', 7, 2**70]))"
    environment = {**os.environ, "FULLMARKS_KERNEL": name, "PYTHONHASHSEED": "7"}
    told = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert list(map(int, told.stdout.split())) == hashes.id_hashes(["q1", "ж", 7, 2**70]).tolist()
