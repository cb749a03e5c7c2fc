"""Hashes of ids that are the same in every process and on every machine: XXH64.

A text is hashed by its UTF-8, a whole number of 64 bits by its bytes, a larger one by its hexadecimal text, each kind
with a seed of its own, so that 1 and "1" differ. Source: the XXH64 algorithm of the xxHash specification 0.1.1.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

_SEED_OF_TEXT, _SEED_OF_NUMBER, _SEED_OF_LARGE_NUMBER = 0, 1, 2
_PRIME_1, _PRIME_2, _PRIME_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
_PRIME_4, _PRIME_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
_WORD = (1 << 64) - 1
_STRIPE = 32


def id_hashes(ids: Iterable[str | int], *, as_text: bool = False) -> array[int]:
    """The hash of each id; `as_text` hashes a number as its decimal text, so that 1 and "1" meet.

    >>> id_hashes(["1", 1]).tolist() == id_hashes(["1", 1], as_text=True).tolist()
    False
    """
    hashes = array("Q")
    for place, identifier in enumerate(ids):
        if isinstance(identifier, str):
            content, seed = identifier.encode("utf-8", "surrogatepass"), _SEED_OF_TEXT
        elif not isinstance(identifier, int):
            raise TypeError(f"id {place} is of type {type(identifier).__name__}, expected str or int")
        elif as_text:
            content, seed = int.__repr__(identifier).encode(), _SEED_OF_TEXT
        elif -(1 << 63) <= identifier < 1 << 63:
            content, seed = int.to_bytes(identifier, 8, "little", signed=True), _SEED_OF_NUMBER
        else:
            content, seed = hex(identifier).encode(), _SEED_OF_LARGE_NUMBER
        hashes.append(hash_of_bytes(content, seed))
    return hashes


def hash_of_bytes(content: bytes, seed: int) -> int:
    """XXH64 of the bytes."""
    size = len(content)
    at = size // _STRIPE * _STRIPE
    value = (_hash_of_stripes(content, at, seed) if at else seed + _PRIME_5) + size
    while at + 8 <= size:
        value ^= _mixed(0, int.from_bytes(content[at : at + 8], "little"))
        value = _turned(value & _WORD, 27) * _PRIME_1 + _PRIME_4
        at += 8
    if at + 4 <= size:
        value ^= int.from_bytes(content[at : at + 4], "little") * _PRIME_1
        value = _turned(value & _WORD, 23) * _PRIME_2 + _PRIME_3
        at += 4
    for byte in content[at:]:
        value = _turned((value ^ byte * _PRIME_5) & _WORD, 11) * _PRIME_1
    value &= _WORD
    value = (value ^ value >> 33) * _PRIME_2 & _WORD
    value = (value ^ value >> 29) * _PRIME_3 & _WORD
    return value ^ value >> 32


def _hash_of_stripes(content: bytes, end: int, seed: int) -> int:
    """The whole stripes of a long text, in four lanes that are joined at the end."""
    lanes: Sequence[int] = (seed + _PRIME_1 + _PRIME_2, seed + _PRIME_2, seed, seed - _PRIME_1)
    for at in range(0, end, _STRIPE):
        words = (int.from_bytes(content[start : start + 8], "little") for start in range(at, at + _STRIPE, 8))
        lanes = [_mixed(lane, word) for lane, word in zip(lanes, words, strict=True)]
    value = sum(_turned(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
    for lane in lanes:
        value = (value ^ _mixed(0, lane)) * _PRIME_1 + _PRIME_4
    return value


def _mixed(lane: int, word: int) -> int:
    return _turned((lane + word * _PRIME_2) & _WORD, 31) * _PRIME_1 & _WORD


def _turned(word: int, bits: int) -> int:
    """The bits of a word moved up, those that fall out put in below; more than a word may come back."""
    return word << bits | word >> (64 - bits)
