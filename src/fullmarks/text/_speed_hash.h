/* Hashes of ids that are the same in every process and on every machine, as hashes.py has them: XXH64.

   Invariant: no Python code runs while ids are hashed. */

#ifndef FULLMARKS_SPEED_HASH_H
#define FULLMARKS_SPEED_HASH_H

#include "_speed_fold.h"

static const uint64_t PRIME_1 = 0x9E3779B185EBCA87u, PRIME_2 = 0xC2B2AE3D27D4EB4Fu, PRIME_3 = 0x165667B19E3779F9u,
                      PRIME_4 = 0x85EBCA77C2B2AE63u, PRIME_5 = 0x27D4EB2F165667C5u;

enum { SEED_OF_TEXT = 0, SEED_OF_NUMBER = 1, SEED_OF_LARGE_NUMBER = 2, STRIPE = 32 };

static inline uint64_t
turned(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

/* So many bytes as a number, the lowest first. */
static inline uint64_t
word_at(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
#if PY_BIG_ENDIAN
    for (size_t i = size; i > 0; i--) {
        word = word << 8 | bytes[i - 1];
    }
#else
    memcpy(&word, bytes, size);
#endif
    return word;
}

static inline uint64_t
mixed(uint64_t lane, uint64_t word)
{
    return turned(lane + word * PRIME_2, 31) * PRIME_1;
}

/* The whole stripes of a long text, in four lanes that are joined at the end. */
static uint64_t
hash_of_stripes(const unsigned char *bytes, size_t stripes, uint64_t seed)
{
    uint64_t lanes[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
    for (size_t stripe = 0; stripe < stripes; stripe++) {
        for (size_t lane = 0; lane < 4; lane++) {
            lanes[lane] = mixed(lanes[lane], word_at(bytes + stripe * STRIPE + lane * 8, 8));
        }
    }
    uint64_t hash = turned(lanes[0], 1) + turned(lanes[1], 7) + turned(lanes[2], 12) + turned(lanes[3], 18);
    for (size_t lane = 0; lane < 4; lane++) {
        hash = (hash ^ mixed(0, lanes[lane])) * PRIME_1 + PRIME_4;
    }
    return hash;
}

static inline uint64_t
hash_of_bytes(const unsigned char *bytes, size_t size, uint64_t seed)
{
    size_t at = size / STRIPE * STRIPE;
    uint64_t hash = (at ? hash_of_stripes(bytes, size / STRIPE, seed) : seed + PRIME_5) + size;
    for (; at + 8 <= size; at += 8) {
        hash = turned(hash ^ mixed(0, word_at(bytes + at, 8)), 27) * PRIME_1 + PRIME_4;
    }
    if (at + 4 <= size) {
        hash = turned(hash ^ word_at(bytes + at, 4) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        at += 4;
    }
    for (; at < size; at++) {
        hash = turned(hash ^ bytes[at] * PRIME_5, 11) * PRIME_1;
    }
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

/* The hash of a text's UTF-8, lone surrogates as if they were characters; -1 with an exception set. */
static int
hash_text(PyObject *text, uint64_t seed, Text *spare, uint64_t *hash)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_IS_ASCII(text)) {
        *hash = hash_of_bytes(PyUnicode_1BYTE_DATA(text), (size_t)length, seed);
        return 0;
    }
    if ((size_t)length > PY_SSIZE_T_MAX / 4) {
        PyErr_NoMemory();
        return -1;
    }
    if (reserve(&spare->bytes, &spare->capacity, 4 * (size_t)length, 1) < 0) {
        return -1;
    }
    char *end = spare->bytes;
    for (Py_ssize_t i = 0; i < length; i++) {
        end = put_character(end, PyUnicode_READ(PyUnicode_KIND(text), PyUnicode_DATA(text), i));
    }
    *hash = hash_of_bytes((const unsigned char *)spare->bytes, (size_t)(end - spare->bytes), seed);
    return 0;
}

enum { MOST_DIGITS = 24 };

/* A number's decimal text, written from the end of the room; where it begins. */
static unsigned char *
put_decimal(long long number, unsigned char *end)
{
    unsigned long long rest = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
    do {
        *--end = (unsigned char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (number < 0) {
        *--end = '-';
    }
    return end;
}

static int
hash_number(PyObject *number, int as_text, Text *spare, uint64_t *hash)
{
    int is_large;
    long long value = PyLong_AsLongLongAndOverflow(number, &is_large);
    unsigned char room[MOST_DIGITS], *end = room + MOST_DIGITS;
    if (is_large) {
        PyObject *text = as_text ? PyLong_Type.tp_repr(number) : PyNumber_ToBase(number, 16);
        int failed = text == NULL || hash_text(text, as_text ? SEED_OF_TEXT : SEED_OF_LARGE_NUMBER, spare, hash) < 0;
        Py_XDECREF(text);
        return failed ? -1 : 0;
    }
    if (as_text) {
        unsigned char *start = put_decimal(value, end);
        *hash = hash_of_bytes(start, (size_t)(end - start), SEED_OF_TEXT);
        return 0;
    }
    for (int i = 0; i < 8; i++) {
        room[i] = (unsigned char)((unsigned long long)value >> 8 * i);
    }
    *hash = hash_of_bytes(room, 8, SEED_OF_NUMBER);
    return 0;
}

static int
fill_hashes(PyObject *ids, int as_text, Text *spare, uint64_t *hashes)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(ids);
    for (Py_ssize_t i = 0; i < count; i++) {
        FETCH(PySequence_Fast_GET_ITEM(ids, Py_MIN(i + 8, count - 1)));
        PyObject *id = PySequence_Fast_GET_ITEM(ids, i);
        int failed = is_string(id)       ? hash_text(id, SEED_OF_TEXT, spare, hashes + i)
                     : PyLong_Check(id) ? hash_number(id, as_text, spare, hashes + i)
                                        : 1;
        if (failed) {
            if (!PyErr_Occurred()) {
                PyErr_Format(PyExc_TypeError, "id %zd is of type %.100s, expected str or int", i,
                             Py_TYPE(id)->tp_name);
            }
            return -1;
        }
    }
    return 0;
}

static PyObject *
id_hashes(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"ids", "as_text", NULL};
    PyObject *ids;
    int as_text = 0;
    Py_buffer view;
    Text spare = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$p:id_hashes", names, &ids, &as_text)
        || (ids = PySequence_Fast(ids, "ids are no list")) == NULL) {
        return NULL;
    }
    PyObject *hashes = new_array(PyModule_GetState(module), "Q", sizeof(uint64_t), PySequence_Fast_GET_SIZE(ids), &view);
    if (hashes != NULL) {
        int failed = fill_hashes(ids, as_text, &spare, view.buf) < 0;
        PyBuffer_Release(&view);
        if (failed) {
            Py_CLEAR(hashes);
        }
    }
    text_free(&spare);
    Py_DECREF(ids);
    return hashes;
}

#endif
