/* METEOR of texts cut into tokens, as meteor.py has it.

   Invariant: every word, stem and synonym met in a call is one number, so two are equal exactly when their numbers are,
   and each is asked for its stem and its synonyms once. Asking may run any Python code, which reaches nothing of this. */

#ifndef FULLMARKS_SPEED_METEOR_H
#define FULLMARKS_SPEED_METEOR_H

#include "_speed_overlap.h"

#include <math.h>

/* A word, stem or synonym; its stem and the count of its names are NONE until they are asked for. */
typedef struct {
    size_t start, names; /* in the bytes of all words, and in the list of all names */
    uint32_t length, name_count, stem;
} Word;

/* The words of a text that are still free: by number, with their places in the text. A number becomes NONE when its
   word is matched, and leaves the list at the end of the stage. */
typedef struct {
    uint32_t *numbers, *places;
    size_t count, numbers_capacity, places_capacity;
} FreeWords;

typedef struct {
    PyObject *stems, *names; /* word -> stem, stem -> words that may stand for it; borrowed */
    double alpha, beta, gamma;
    Text all, one; /* the bytes of all words, and of one that comes from Python */
    Word *words;
    size_t word_count, word_capacity;
    Slot *slots;
    size_t slot_mask;
    uint64_t *hashes; /* of the words of one text */
    size_t hashes_capacity;
    uint32_t *all_names;
    size_t name_count, name_capacity;
    uint32_t *prediction; /* numbers of the words of the prediction, whichever reference it meets */
    size_t prediction_count, prediction_capacity;
    FreeWords own, gold;
    uint32_t *latest, *earlier; /* 1 + the last free place of a number in `gold`, and before a place; 0 for none */
    size_t latest_capacity, earlier_capacity;
    uint32_t *matches; /* 1 + the reference's place for each of the prediction's, or 0 */
    size_t matches_capacity;
} Aligner;

static void
aligner_free(Aligner *aligner)
{
    text_free(&aligner->all);
    text_free(&aligner->one);
    PyMem_Free(aligner->words);
    PyMem_Free(aligner->slots);
    PyMem_Free(aligner->hashes);
    PyMem_Free(aligner->all_names);
    PyMem_Free(aligner->prediction);
    PyMem_Free(aligner->own.numbers);
    PyMem_Free(aligner->own.places);
    PyMem_Free(aligner->gold.numbers);
    PyMem_Free(aligner->gold.places);
    PyMem_Free(aligner->latest);
    PyMem_Free(aligner->earlier);
    PyMem_Free(aligner->matches);
}

/* ---- words as numbers --------------------------------------------------------------------------------------- */

static inline uint64_t
eight_bytes(const char *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t
four_bytes(const char *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

enum { SHORT_WORD = 8 };

/* All bytes of a short word, some of them twice: two of one length are equal exactly when these are. */
static inline uint64_t
short_word(const char *bytes, size_t length)
{
    if (length >= 4) {
        return four_bytes(bytes) << 32 | four_bytes(bytes + length - 4);
    }
    const unsigned char *each = (const unsigned char *)bytes;
    return length ? (uint64_t)each[0] << 16 | (uint64_t)each[length / 2] << 8 | each[length - 1] : 0;
}

/* Eight bytes at a time, the last eight of them perhaps twice. */
static inline uint64_t
hash_word(const char *bytes, size_t length)
{
    uint64_t hash = length << 56;
    if (length <= SHORT_WORD) {
        return hash ^ short_word(bytes, length);
    }
    for (size_t i = 0; i + 8 < length; i += 8) {
        hash = mix(hash ^ eight_bytes(bytes + i));
    }
    return mix(hash ^ eight_bytes(bytes + length - 8));
}

/* Makes the table twice as large, or makes the first one. */
static int
widen_slots(Aligner *aligner)
{
    size_t old_size = aligner->slots == NULL ? 0 : aligner->slot_mask + 1, size = old_size ? 2 * old_size : 64;
    Slot *slots = size <= PY_SSIZE_T_MAX / sizeof(Slot) ? PyMem_Malloc(size * sizeof(Slot)) : NULL;
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < size; i++) {
        slots[i].id = NONE;
    }
    for (size_t i = 0; i < old_size; i++) {
        if (aligner->slots[i].id != NONE) {
            size_t at = mix(aligner->slots[i].key) & (size - 1);
            while (slots[at].id != NONE) {
                at = (at + 1) & (size - 1);
            }
            slots[at] = aligner->slots[i];
        }
    }
    PyMem_Free(aligner->slots);
    aligner->slots = slots;
    aligner->slot_mask = size - 1;
    return 0;
}

/* Keeps half of the table free when so many words have come; -1 on failure. */
static int
make_room(Aligner *aligner, size_t count)
{
    while (2 * (aligner->word_count + count) > aligner->slot_mask) {
        if (widen_slots(aligner) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Writes down a word that is met for the first time; its number, or NONE on failure. */
static uint32_t
add_word(Aligner *aligner, const char *bytes, size_t length)
{
    size_t number = aligner->word_count, start = aligner->all.size;
    if (number >= NONE - 1 || length >= NONE) {
        PyErr_SetString(PyExc_OverflowError, "the texts have too many distinct words, or one that is too long");
        return NONE;
    }
    if (reserve(&aligner->words, &aligner->word_capacity, number + 1, sizeof(Word)) < 0
        || reserve(&aligner->latest, &aligner->latest_capacity, number + 1, sizeof(uint32_t)) < 0
        || reserve(&aligner->all.bytes, &aligner->all.capacity, start + length, 1) < 0) {
        return NONE;
    }
    memcpy(aligner->all.bytes + start, bytes, length);
    aligner->all.size = start + length;
    aligner->words[number] = (Word){.start = start, .length = (uint32_t)length, .name_count = NONE, .stem = NONE};
    aligner->latest[number] = 0;
    aligner->word_count++;
    return (uint32_t)number;
}

/* Whether a slot is that of the word; it has the length as its token, so most words need not be looked at. */
static inline int
is_slot_of(const Aligner *aligner, const Slot *slot, uint64_t hash, const char *bytes, size_t length)
{
    return slot->key == hash && slot->token == (uint32_t)length
           && (length <= SHORT_WORD
               || memcmp(aligner->all.bytes + aligner->words[slot->id].start, bytes, length) == 0);
}

/* The number of a word by its hash, where the table has room for it; NONE on failure. */
static uint32_t
find_word(Aligner *aligner, uint64_t hash, const char *bytes, size_t length)
{
    size_t at = mix(hash) & aligner->slot_mask;
    for (; aligner->slots[at].id != NONE; at = (at + 1) & aligner->slot_mask) {
        if (is_slot_of(aligner, &aligner->slots[at], hash, bytes, length)) {
            return aligner->slots[at].id;
        }
    }
    uint32_t number = add_word(aligner, bytes, length);
    if (number != NONE) {
        aligner->slots[at] = (Slot){hash, number, (uint32_t)length};
    }
    return number;
}

/* The number of a word; NONE on failure. */
static uint32_t
word_number(Aligner *aligner, const char *bytes, size_t length)
{
    return make_room(aligner, 1) < 0 ? NONE : find_word(aligner, hash_word(bytes, length), bytes, length);
}

static int
reserve_free_words(FreeWords *free_words, size_t count)
{
    if (count >= NONE - 1) {
        PyErr_SetString(PyExc_OverflowError, "a text has too many words to align them");
        return -1;
    }
    return reserve(&free_words->numbers, &free_words->numbers_capacity, count, sizeof(uint32_t)) < 0
                   || reserve(&free_words->places, &free_words->places_capacity, count, sizeof(uint32_t)) < 0
               ? -1
               : 0;
}

/* The numbers of the words of a text; -1 on failure. All slots are asked for before the first is looked at. */
static int
number_words(Aligner *aligner, const Text *text, uint32_t *numbers)
{
    if (make_room(aligner, text->count) < 0
        || reserve(&aligner->hashes, &aligner->hashes_capacity, text->count, sizeof(uint64_t)) < 0) {
        return -1;
    }
    for (size_t i = 0; i < text->count; i++) {
        aligner->hashes[i] = hash_word(text->bytes + text->tokens[i].start, text->tokens[i].length);
        FETCH(&aligner->slots[mix(aligner->hashes[i]) & aligner->slot_mask]);
    }
    for (size_t i = 0; i < text->count; i++) {
        numbers[i] = find_word(aligner, aligner->hashes[i], text->bytes + text->tokens[i].start, text->tokens[i].length);
        if (numbers[i] == NONE) {
            return -1;
        }
    }
    return 0;
}

/* ---- stems and synonyms ------------------------------------------------------------------------------------- */

/* The number of a word that is a Python object; NONE on failure. */
static uint32_t
string_number(Aligner *aligner, PyObject *string)
{
    if (!PyUnicode_Check(string)) {
        PyErr_Format(PyExc_TypeError, "a stem or synonym is of type %.100s, expected str", Py_TYPE(string)->tp_name);
        return NONE;
    }
    if (PyUnicode_IS_ASCII(string)) {
        return word_number(aligner, (const char *)PyUnicode_1BYTE_DATA(string), (size_t)PyUnicode_GET_LENGTH(string));
    }
    aligner->one.size = 0;
    if (append_string(&aligner->one, string) < 0) {
        return NONE;
    }
    return word_number(aligner, aligner->one.bytes, aligner->one.size);
}

/* A new reference to what a mapping has for a word. */
static PyObject *
ask_of_word(const Aligner *aligner, PyObject *mapping, uint32_t number)
{
    const Word *word = &aligner->words[number];
    PyObject *string = PyUnicode_DecodeUTF8(aligner->all.bytes + word->start, (Py_ssize_t)word->length, "surrogatepass");
    PyObject *found = string == NULL ? NULL : PyObject_GetItem(mapping, string);
    Py_XDECREF(string);
    return found;
}

static int
ask_stem(Aligner *aligner, uint32_t number)
{
    PyObject *found = ask_of_word(aligner, aligner->stems, number);
    uint32_t stem = found == NULL ? NONE : string_number(aligner, found);
    Py_XDECREF(found);
    aligner->words[number].stem = stem;
    return stem == NONE ? -1 : 0;
}

static int
ask_names(Aligner *aligner, uint32_t number)
{
    size_t first = aligner->name_count;
    PyObject *found = ask_of_word(aligner, aligner->names, number), *name;
    PyObject *each = found == NULL ? NULL : PyObject_GetIter(found);
    Py_XDECREF(found);
    while (each != NULL && (name = PyIter_Next(each)) != NULL) {
        uint32_t own = string_number(aligner, name);
        Py_DECREF(name);
        if (own == NONE
            || reserve(&aligner->all_names, &aligner->name_capacity, aligner->name_count + 1, sizeof(uint32_t)) < 0) {
            break;
        }
        aligner->all_names[aligner->name_count++] = own;
    }
    Py_XDECREF(each);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (aligner->name_count - first >= NONE) {
        PyErr_SetString(PyExc_OverflowError, "a stem has too many synonyms");
        return -1;
    }
    aligner->words[number].names = first;
    aligner->words[number].name_count = (uint32_t)(aligner->name_count - first);
    return 0;
}

/* Puts stems in the place of words; -1 on failure. */
static int
stem_words(Aligner *aligner, FreeWords *free_words)
{
    for (size_t i = 0; i < free_words->count; i++) {
        uint32_t number = free_words->numbers[i];
        if (aligner->words[number].stem == NONE && ask_stem(aligner, number) < 0) {
            return -1;
        }
        free_words->numbers[i] = aligner->words[number].stem;
    }
    return 0;
}

/* ---- the alignment ------------------------------------------------------------------------------------------ */

/* Fills the last free place of each number of the reference, and the one before each place. */
static void
note_places(Aligner *aligner)
{
    const uint32_t *numbers = aligner->gold.numbers;
    for (size_t j = 0; j < aligner->gold.count; j++) {
        aligner->earlier[j] = aligner->latest[numbers[j]];
        aligner->latest[numbers[j]] = (uint32_t)j + 1;
    }
}

/* Matches two free words, the reference's by 1 + its position in the list. */
static inline void
match(Aligner *aligner, size_t i, uint32_t found)
{
    FreeWords *own = &aligner->own, *gold = &aligner->gold;
    uint32_t j = found - 1;
    aligner->matches[own->places[i]] = gold->places[j] + 1;
    aligner->latest[gold->numbers[j]] = aligner->earlier[j];
    own->numbers[i] = gold->numbers[j] = NONE;
}

static void
drop_matched(FreeWords *free_words)
{
    size_t kept = 0;
    for (size_t i = 0; i < free_words->count; i++) {
        if (free_words->numbers[i] != NONE) {
            free_words->numbers[kept] = free_words->numbers[i];
            free_words->places[kept++] = free_words->places[i];
        }
    }
    free_words->count = kept;
}

/* Ends a stage: what is still free is in the lists, and no place is noted any more. */
static void
end_stage(Aligner *aligner)
{
    drop_matched(&aligner->own);
    drop_matched(&aligner->gold);
    for (size_t j = 0; j < aligner->gold.count; j++) {
        aligner->latest[aligner->gold.numbers[j]] = 0;
    }
}

static void
match_equal(Aligner *aligner)
{
    note_places(aligner);
    for (size_t i = aligner->own.count; i-- > 0;) {
        uint32_t found = aligner->latest[aligner->own.numbers[i]];
        if (found) {
            match(aligner, i, found);
        }
    }
    end_stage(aligner);
}

static void
match_names(Aligner *aligner)
{
    note_places(aligner);
    for (size_t i = aligner->own.count; i-- > 0;) {
        const Word *stem = &aligner->words[aligner->own.numbers[i]];
        uint32_t found = 0;
        for (size_t k = 0; k < stem->name_count; k++) {
            uint32_t place = aligner->latest[aligner->all_names[stem->names + k]];
            found = place > found ? place : found;
        }
        if (found) {
            match(aligner, i, found);
        }
    }
    end_stage(aligner);
}

static int
look_up_names(Aligner *aligner)
{
    for (size_t i = 0; i < aligner->own.count; i++) {
        uint32_t stem = aligner->own.numbers[i];
        if (aligner->words[stem].name_count == NONE && ask_names(aligner, stem) < 0) {
            return -1;
        }
    }
    return 0;
}

static inline int
are_both_free(const Aligner *aligner)
{
    return aligner->own.count && aligner->gold.count;
}

/* The three stages, from all words free; -1 on failure. */
static int
align(Aligner *aligner)
{
    match_equal(aligner);
    if (are_both_free(aligner)) {
        if (stem_words(aligner, &aligner->own) < 0 || stem_words(aligner, &aligner->gold) < 0) {
            return -1;
        }
        match_equal(aligner);
    }
    if (are_both_free(aligner)) {
        if (look_up_names(aligner) < 0) {
            return -1;
        }
        match_names(aligner);
    }
    return 0;
}

/* ---- the score ---------------------------------------------------------------------------------------------- */

/* A power as Python has it, with its errors; -1.0 on failure, for no power here is negative. */
static double
power(double base, double exponent)
{
    double value = pow(base, exponent);
    if (isfinite(value)) {
        return value;
    }
    PyObject *left = PyFloat_FromDouble(base), *right = PyFloat_FromDouble(exponent);
    PyObject *asked = left == NULL || right == NULL ? NULL : PyNumber_Power(left, right, Py_None);
    value = asked == NULL ? -1.0 : PyFloat_AsDouble(asked);
    Py_XDECREF(left);
    Py_XDECREF(right);
    Py_XDECREF(asked);
    return value;
}

/* The score of what was aligned, of texts of so many words; -1 on failure. */
static int
meteor_value(const Aligner *aligner, size_t words, size_t gold_words, double *value)
{
    size_t matched = 0, chunks = 0;
    uint32_t before = 0;
    for (size_t i = 0; i < words; i++) {
        uint32_t place = aligner->matches[i];
        if (place) {
            matched++;
            chunks += before == 0 || place != before + 1;
        }
        before = place;
    }
    *value = 0.0;
    if (matched == 0) {
        return 0;
    }
    double precision = (double)matched / (double)words, recall = (double)matched / (double)gold_words;
    double weighted = aligner->alpha * precision + (1 - aligner->alpha) * recall;
    if (weighted == 0.0) {
        PyErr_SetString(PyExc_ZeroDivisionError, "float division by zero");
        return -1;
    }
    *value = precision * recall / weighted;
    if (aligner->gamma != 0.0) {
        double fragments = power((double)chunks / (double)matched, aligner->beta);
        if (fragments == -1.0) {
            return -1;
        }
        *value = (1 - aligner->gamma * fragments) * *value;
    }
    return 0;
}

/* Takes the prediction for the references that follow; -1 on failure. */
static int
aligner_start(Aligner *aligner, const Text *prediction)
{
    size_t count = aligner->prediction_count = prediction->count;
    return reserve_free_words(&aligner->own, count) < 0
                   || reserve(&aligner->prediction, &aligner->prediction_capacity, count, sizeof(uint32_t)) < 0
                   || reserve(&aligner->matches, &aligner->matches_capacity, count, sizeof(uint32_t)) < 0
                   || number_words(aligner, prediction, aligner->prediction) < 0
               ? -1
               : 0;
}

/* The score of the prediction against one reference; -1 on failure. */
static int
meteor_score(Aligner *aligner, const Text *reference, double *value)
{
    FreeWords *own = &aligner->own, *gold = &aligner->gold;
    if (reserve_free_words(gold, reference->count) < 0
        || reserve(&aligner->earlier, &aligner->earlier_capacity, reference->count, sizeof(uint32_t)) < 0
        || number_words(aligner, reference, gold->numbers) < 0) {
        return -1;
    }
    own->count = aligner->prediction_count;
    gold->count = reference->count;
    memcpy(own->numbers, aligner->prediction, own->count * sizeof(uint32_t));
    memset(aligner->matches, 0, own->count * sizeof(uint32_t));
    for (size_t i = 0; i < own->count; i++) {
        own->places[i] = (uint32_t)i;
    }
    for (size_t j = 0; j < gold->count; j++) {
        gold->places[j] = (uint32_t)j;
    }
    return align(aligner) < 0 ? -1 : meteor_value(aligner, aligner->prediction_count, reference->count, value);
}

#endif
