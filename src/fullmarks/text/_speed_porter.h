/* The Porter stemmer, as porter.py has it.

   Invariant: a rule looks at the end of the word and at the shape of what stands before it: for each letter whether it
   is a vowel, y being one after a consonant. No rule makes a word longer by more than the one letter kept for it. */

#ifndef FULLMARKS_SPEED_PORTER_H
#define FULLMARKS_SPEED_PORTER_H

#include "_speed_text.h"

typedef struct {
    Py_UCS4 *letters;
    size_t length;
} Stem;

typedef struct {
    const char *suffix, *becomes;
} PorterRule;

/* Of several suffixes that fit, the first one listed decides; each list ends with NULL. */
static const PorterRule PORTER_IRREGULAR[] = {
    {"skies", "sky"},         {"sky", "sky"},         {"dying", "die"},     {"lying", "lie"},
    {"tying", "tie"},         {"news", "news"},       {"innings", "inning"}, {"inning", "inning"},
    {"outings", "outing"},    {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
    {"howe", "howe"},         {"proceed", "proceed"}, {"exceed", "exceed"}, {"succeed", "succeed"},
    {NULL, NULL},
};
static const PorterRule PORTER_STEP_2[] = {
    {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},  {"izer", "ize"},   {"bli", "ble"},
    {"alli", "al"},     {"entli", "ent"},   {"eli", "e"},       {"ousli", "ous"},  {"ization", "ize"}, {"ation", "ate"},
    {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},
    {"iviti", "ive"},   {"biliti", "ble"},  {"fulli", "ful"},   {NULL, NULL},
};
static const PorterRule PORTER_STEP_3[] = {
    {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
    {"ical", "ic"},  {"ful", ""},   {"ness", ""},    {NULL, NULL},
};
static const char *const PORTER_STEP_4[] = {
    "al",  "ance", "ence", "er",  "ic",  "able", "ible", "ant", "ement", "ment",
    "ent", "ion",  "ou",   "ism", "ate", "iti",  "ous",  "ive", "ize",   NULL,
};

/* What a rule asks of the first letters of a word: Porter's m, whether there is a vowel, and of the last letters which
   are vowels, the lowest bit being that of the last one. */
typedef struct {
    size_t measure;
    int has_vowel;
    unsigned vowels;
} Shape;

static Shape
shape_of(const Stem *stem, size_t length)
{
    Shape shape = {0, 0, 1};
    for (size_t i = 0; i < length; i++) {
        Py_UCS4 letter = stem->letters[i];
        unsigned before = shape.vowels & 1;
        unsigned vowel = letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u'
                         || (letter == 'y' && !before);
        shape.measure += i > 0 && before && !vowel;
        shape.has_vowel |= (int)vowel;
        shape.vowels = shape.vowels << 1 | vowel;
    }
    return shape;
}

/* Whether the first letters end consonant, vowel, consonant other than w, x, y; or are a vowel and a consonant. */
static int
is_short_stem(const Stem *stem, size_t length, const Shape *shape)
{
    if (length == 2) {
        return (shape->vowels & 3) == 2;
    }
    Py_UCS4 last = length ? stem->letters[length - 1] : 0;
    return length > 2 && (shape->vowels & 7) == 2 && last != 'w' && last != 'x' && last != 'y';
}

/* How long the suffix is if the word ends in it; 0 if not. */
static size_t
fits(const Stem *stem, const char *suffix)
{
    size_t length = strlen(suffix);
    if (length > stem->length) {
        return 0;
    }
    for (size_t i = 1; i <= length; i++) {
        if (stem->letters[stem->length - i] != (Py_UCS4)(unsigned char)suffix[length - i]) {
            return 0;
        }
    }
    return length;
}

/* Puts letters in the place of the last ones. */
static void
become(Stem *stem, size_t dropped, const char *letters)
{
    stem->length -= dropped;
    for (; *letters; letters++) {
        stem->letters[stem->length++] = (Py_UCS4)(unsigned char)*letters;
    }
}

/* Step 1a. */
static void
drop_plural(Stem *stem)
{
    if (fits(stem, "ies")) {
        stem->length -= stem->length == 4 ? 1 : 2;
    }
    else if (fits(stem, "sses")) {
        stem->length -= 2;
    }
    else if (fits(stem, "s") && !fits(stem, "ss")) {
        stem->length -= 1;
    }
}

/* The second half of step 1b: gives back a lost e, or takes one of two equal consonants. */
static void
repair_stem(Stem *stem)
{
    if (fits(stem, "at") || fits(stem, "bl") || fits(stem, "iz")) {
        become(stem, 0, "e");
        return;
    }
    size_t length = stem->length;
    Shape shape = shape_of(stem, length);
    Py_UCS4 last = length ? stem->letters[length - 1] : 0;
    if (length > 1 && last == stem->letters[length - 2] && !(shape.vowels & 1)) {
        stem->length -= last == 'l' || last == 's' || last == 'z' ? 0 : 1;
    }
    else if (shape.measure == 1 && is_short_stem(stem, length, &shape)) {
        become(stem, 0, "e");
    }
}

/* Step 1b. */
static void
drop_past_or_gerund(Stem *stem)
{
    if (fits(stem, "ied")) {
        stem->length -= stem->length == 4 ? 1 : 2;
        return;
    }
    if (fits(stem, "eed")) {
        stem->length -= shape_of(stem, stem->length - 3).measure > 0;
        return;
    }
    size_t dropped = fits(stem, "ed") ? 2 : fits(stem, "ing");
    if (dropped && shape_of(stem, stem->length - dropped).has_vowel) {
        stem->length -= dropped;
        repair_stem(stem);
    }
}

/* Replaces the first suffix that fits, if what stands before it has a positive measure. */
static void
replace_suffix(Stem *stem, const PorterRule *rules)
{
    for (; rules->suffix != NULL; rules++) {
        size_t length = fits(stem, rules->suffix);
        if (length) {
            if (shape_of(stem, stem->length - length).measure > 0) {
                become(stem, length, rules->becomes);
            }
            return;
        }
    }
}

/* Step 2. */
static void
drop_double_suffix(Stem *stem)
{
    while (fits(stem, "alli") && shape_of(stem, stem->length - 4).measure > 0) {
        stem->length -= 2;
    }
    if (fits(stem, "logi")) {
        stem->length -= shape_of(stem, stem->length - 3).measure > 0;
        return;
    }
    replace_suffix(stem, PORTER_STEP_2);
}

/* Step 4. */
static void
drop_residue(Stem *stem)
{
    for (const char *const *suffix = PORTER_STEP_4; *suffix != NULL; suffix++) {
        size_t length = fits(stem, *suffix), before = stem->length - length;
        if (length) {
            int is_ion = strcmp(*suffix, "ion") == 0;
            if (shape_of(stem, before).measure > 1
                && (!is_ion || stem->letters[before - 1] == 's' || stem->letters[before - 1] == 't')) {
                stem->length = before;
            }
            return;
        }
    }
}

/* Steps 5a and 5b: a final e, and one l of two. */
static void
drop_final_letters(Stem *stem)
{
    if (fits(stem, "e")) {
        Shape shape = shape_of(stem, stem->length - 1);
        stem->length -= shape.measure > 1 || (shape.measure == 1 && !is_short_stem(stem, stem->length - 1, &shape));
    }
    if (fits(stem, "ll") && shape_of(stem, stem->length - 1).measure > 1) {
        stem->length -= 1;
    }
}

/* Stems a word in lower case of more than two letters, or an irregular one; the letters have room for one more. */
static void
stem_letters(Stem *stem, int is_long)
{
    for (const PorterRule *rule = PORTER_IRREGULAR; rule->suffix != NULL; rule++) {
        if (stem->length == strlen(rule->suffix) && fits(stem, rule->suffix)) {
            become(stem, stem->length, rule->becomes);
            return;
        }
    }
    if (!is_long) {
        return;
    }
    drop_plural(stem);
    drop_past_or_gerund(stem);
    if (fits(stem, "y") && stem->length > 2 && !(shape_of(stem, stem->length - 1).vowels & 1)) {
        become(stem, 1, "i");
    }
    drop_double_suffix(stem);
    replace_suffix(stem, PORTER_STEP_3);
    drop_residue(stem);
    drop_final_letters(stem);
}

enum { USUAL_LETTERS = 64 };

/* A new reference to the stem of a word, whose lower case is given too. */
static PyObject *
stem_of_lower(PyObject *word, PyObject *lower)
{
    Py_UCS4 usual[USUAL_LETTERS];
    size_t length = (size_t)PyUnicode_GET_LENGTH(lower);
    Stem stem = {usual, length};
    if (length >= USUAL_LETTERS) {
        stem.letters = length < PY_SSIZE_T_MAX / sizeof(Py_UCS4) ? PyMem_Malloc((length + 1) * sizeof(Py_UCS4)) : NULL;
        if (stem.letters == NULL) {
            return PyErr_NoMemory();
        }
    }
    int kind = PyUnicode_KIND(lower);
    const void *data = PyUnicode_DATA(lower);
    for (size_t i = 0; i < length; i++) {
        stem.letters[i] = PyUnicode_READ(kind, data, (Py_ssize_t)i);
    }
    stem_letters(&stem, PyUnicode_GET_LENGTH(word) > 2);
    PyObject *made = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, stem.letters, (Py_ssize_t)stem.length);
    if (stem.letters != usual) {
        PyMem_Free(stem.letters);
    }
    return made;
}

#endif
