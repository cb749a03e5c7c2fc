/* Buffers for texts cut into tokens, shared by the rules of SQuAD and BLEU.

   Invariant: a text is held as bytes, one to four for a character (UTF-8 that also takes lone surrogates), so two
   tokens are equal exactly when their bytes are. */

#ifndef FULLMARKS_SPEED_TEXT_H
#define FULLMARKS_SPEED_TEXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Asks for a place in memory that will be looked at soon. */
#if defined(__GNUC__)
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) ((void)(place))
#endif

typedef struct {
    size_t start, length;
} Token;

/* A text cut into tokens; `bytes` owns what the tokens point into. All of it is reused from text to text. */
typedef struct {
    char *bytes;
    size_t size, capacity;
    Token *tokens;
    size_t count, token_capacity;
} Text;

/* Makes `*buffer`, a pointer of any type, point to more than `count` items; -1 with MemoryError set if it cannot. */
static int
grow(void *buffer, size_t *capacity, size_t count, size_t width)
{
    void *old, *grown = NULL;
    size_t wanted = count + count / 2 + 64;
    memcpy(&old, buffer, sizeof old);
    if (wanted <= PY_SSIZE_T_MAX / width) {
        grown = PyMem_Realloc(old, wanted * width);
    }
    if (grown == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(buffer, &grown, sizeof grown);
    *capacity = wanted;
    return 0;
}

static inline int
reserve(void *buffer, size_t *capacity, size_t count, size_t width)
{
    return count < *capacity ? 0 : grow(buffer, capacity, count, width);
}

static void
text_free(Text *text)
{
    PyMem_Free(text->bytes);
    PyMem_Free(text->tokens);
}

static inline void
text_add_token(Text *text, size_t start, size_t end)
{
    text->tokens[text->count].start = start;
    text->tokens[text->count].length = end - start;
    text->count++;
}

/* Short tokens are the rule, so a loop beats a call of memcmp. */
static inline int
token_equal(const char *left, size_t left_length, const char *right, size_t right_length)
{
    if (left_length != right_length || (left_length && left[0] != right[0])) {
        return 0;
    }
    for (size_t i = 1; i < left_length; i++) {
        if (left[i] != right[i]) {
            return 0;
        }
    }
    return 1;
}

static inline char *
put_character(char *out, Py_UCS4 character)
{
    if (character < 0x80) {
        *out++ = (char)character;
    }
    else if (character < 0x800) {
        *out++ = (char)(0xC0 | character >> 6);
        *out++ = (char)(0x80 | (character & 0x3F));
    }
    else if (character < 0x10000) {
        *out++ = (char)(0xE0 | character >> 12);
        *out++ = (char)(0x80 | (character >> 6 & 0x3F));
        *out++ = (char)(0x80 | (character & 0x3F));
    }
    else {
        *out++ = (char)(0xF0 | character >> 18);
        *out++ = (char)(0x80 | (character >> 12 & 0x3F));
        *out++ = (char)(0x80 | (character >> 6 & 0x3F));
        *out++ = (char)(0x80 | (character & 0x3F));
    }
    return out;
}

/* True for a str that is ready to be read; strings of old C extensions had to be made so before Python 3.12. */
static inline int
is_string(PyObject *object)
{
#if PY_VERSION_HEX < 0x030C0000
    return PyUnicode_Check(object) && PyUnicode_READY(object) == 0;
#else
    return PyUnicode_Check(object);
#endif
}

static inline int
strings_equal(PyObject *left, PyObject *right)
{
    if (left == right) {
        return 1;
    }
    return PyUnicode_GET_LENGTH(left) == PyUnicode_GET_LENGTH(right) && PyUnicode_KIND(left) == PyUnicode_KIND(right)
           && memcmp(PyUnicode_DATA(left), PyUnicode_DATA(right),
                     (size_t)PyUnicode_GET_LENGTH(left) * PyUnicode_KIND(left)) == 0;
}

typedef struct {
    PyObject *array_type;
    PyObject *lower;
    PyObject *tokeniser_type;
    PyObject *vqa_form_type;
} State;

#endif
