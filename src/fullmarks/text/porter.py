"""The Porter stemmer in the variant that NLTK uses by default: the 1980 rules with NLTK's extensions.

The extensions: a table of irregular words; words of one or two letters stay whole; "ies" and "ied" after a
single letter become "ie"; final "y" becomes "i" after a consonant; "alli" is tried first and then step 2 again;
"bli", "fulli" and "logi" are suffixes of step 2; a stem of vowel and consonant counts as short.
The compiled kernel does the same. Source: Porter 1980, "An algorithm for suffix stripping"; NLTK 3.
"""

from __future__ import annotations

_IRREGULAR = {
    "skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning",
    "canning": "canning", "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip
# Of several suffixes that fit, the first one listed decides.
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


def porter_stem(word: str) -> str:
    """Return the stem of a word, in lower case; the empty word is its own stem.

    >>> porter_stem("Generalizations")
    'gener'
    """
    stem = word.lower()
    if stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if len(word) <= 2:
        return stem
    stem = _past_or_gerund(_plural(stem))
    if stem.endswith("y") and len(stem) > 2 and _shape(stem[:-1])[-1] == "c":
        stem = stem[:-1] + "i"
    return _final_letters(_residue(_replace(_double_suffix(stem), _STEP_3)))


def _shape(word: str) -> str:
    """One letter per letter: "v" for a vowel, "c" for anything else; y is a vowel after a consonant."""
    shape = ""
    previous = "v"
    for letter in word:
        previous = "v" if letter in "aeiou" or (letter == "y" and previous == "c") else "c"
        shape += previous
    return shape


def _measure(word: str) -> int:
    """Porter's m: how often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Whether the word ends consonant, vowel, consonant other than w, x, y; or is a vowel and a consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_or_gerund(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
            return _repair(word[: -len(suffix)])
    return word


def _repair(stem: str) -> str:
    """The second half of step 1b: give back a lost e, or take one of two equal consonants."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    shape = _shape(stem)
    if len(stem) > 1 and stem[-1] == stem[-2] and shape[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if shape.count("vc") == 1 and _is_short(stem) else stem


def _replace(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    """Replace the first suffix that fits, if what stands before it has a positive measure."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _double_suffix(word: str) -> str:
    """Step 2."""
    while word.endswith("alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replace(word, _STEP_2)


def _residue(word: str) -> str:
    """Step 4."""
    for suffix in _STEP_4:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            removable = _measure(stem) > 1 and (suffix != "ion" or stem[-1] in "st")
            return stem if removable else word
    return word


def _final_letters(word: str) -> str:
    """Steps 5a and 5b: a final e, and one l of two."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _is_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
