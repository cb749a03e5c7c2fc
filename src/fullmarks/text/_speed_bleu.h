/* The 13a tokeniser of BLEU and the score of one pair, as bleu.py has them.

   Invariant: its rules look at ASCII characters and white space alone, so they work on the bytes of a text; each
   substitution is one pass from left to right over what the one before it left. */

#ifndef FULLMARKS_SPEED_BLEU_H
#define FULLMARKS_SPEED_BLEU_H

#include <math.h>

#include "_speed_text.h"

enum { MOST_ORDERS = 1000 };

static inline int
is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static inline int
is_stop(char byte)
{
    return byte == '.' || byte == ',';
}

/* ASCII punctuation that always stands alone: all but apostrophe, comma, hyphen and full stop. */
static inline int
is_symbol(char byte)
{
    return (byte >= '!' && byte <= '&') || (byte >= '(' && byte <= '+') || byte == '/' || (byte >= ':' && byte <= '@')
           || (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

/* Puts the text's bytes into the buffer, white space other than line feeds as blanks. */
static int
copy_bytes(PyObject *string, Text *text)
{
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    if (reserve(&text->bytes, &text->capacity, (PyUnicode_IS_ASCII(string) ? 1 : 4) * (size_t)length, 1) < 0) {
        return -1;
    }
    char *out = text->bytes;
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        if (character > ' ' && character < 128) {
            *out++ = (char)character;
        }
        else if (character != '\n' && Py_UNICODE_ISSPACE(character)) {
            *out++ = ' ';
        }
        else {
            out = put_character(out, character);
        }
    }
    text->size = (size_t)(out - text->bytes);
    return 0;
}

/* Replaces in place, from left to right; the replacement is at most one character. */
static void
replace(Text *text, const char *old, const char *new)
{
    size_t length = strlen(old), kept = 0;
    for (size_t i = 0; i < text->size;) {
        if (text->bytes[i] == old[0] && text->size - i >= length && memcmp(text->bytes + i, old, length) == 0) {
            if (*new) {
                text->bytes[kept++] = *new;
            }
            i += length;
        }
        else {
            text->bytes[kept++] = text->bytes[i++];
        }
    }
    text->size = kept;
}

/* The four substitutions: each writes what it reads, wider by at most two blanks a character, and gives the size. */
static size_t
separate_symbols(const char *in, size_t size, char *out)
{
    char *start = out;
    *out++ = ' ';
    for (size_t i = 0; i < size; i++) {
        if (is_symbol(in[i])) {
            *out++ = ' ';
            *out++ = in[i];
            *out++ = ' ';
        }
        else {
            *out++ = in[i];
        }
    }
    *out++ = ' ';
    return (size_t)(out - start);
}

static size_t
separate_stops_after_non_digits(const char *in, size_t size, char *out)
{
    char *start = out;
    for (size_t i = 0; i < size; i++) {
        *out++ = in[i];
        if (!is_digit(in[i]) && i + 1 < size && is_stop(in[i + 1])) {
            *out++ = ' ';
            *out++ = in[++i];
            *out++ = ' ';
        }
    }
    return (size_t)(out - start);
}

static size_t
separate_stops_before_non_digits(const char *in, size_t size, char *out)
{
    char *start = out;
    for (size_t i = 0; i < size; i++) {
        if (is_stop(in[i]) && i + 1 < size && !is_digit(in[i + 1])) {
            *out++ = ' ';
            *out++ = in[i++];
            *out++ = ' ';
        }
        *out++ = in[i];
    }
    return (size_t)(out - start);
}

static size_t
separate_hyphens_after_digits(const char *in, size_t size, char *out)
{
    char *start = out;
    for (size_t i = 0; i < size; i++) {
        *out++ = in[i];
        if (is_digit(in[i]) && i + 1 < size && in[i + 1] == '-') {
            *out++ = ' ';
            *out++ = in[++i];
            *out++ = ' ';
        }
    }
    return (size_t)(out - start);
}

typedef size_t (*Substitution)(const char *, size_t, char *);

/* The result is in `text`; `spare` lends its bytes. */
static int
substitute(Text *text, Text *spare, Substitution substitution)
{
    if (reserve(&spare->bytes, &spare->capacity, 3 * text->size + 2, 1) < 0) {
        return -1;
    }
    spare->size = substitution(text->bytes, text->size, spare->bytes);
    char *bytes = text->bytes;
    size_t capacity = text->capacity;
    text->bytes = spare->bytes;
    text->capacity = spare->capacity;
    text->size = spare->size;
    spare->bytes = bytes;
    spare->capacity = capacity;
    return 0;
}

static int
split_blanks(Text *text)
{
    if (reserve(&text->tokens, &text->token_capacity, text->size / 2 + 1, sizeof(Token)) < 0) {
        return -1;
    }
    text->count = 0;
    for (size_t i = 0; i < text->size; i++) {
        size_t start = i;
        while (i < text->size && text->bytes[i] != ' ' && text->bytes[i] != '\n') {
            i++;
        }
        if (i > start) {
            text_add_token(text, start, i);
        }
    }
    return 0;
}

static int
tokenize_13a(PyObject *string, Text *text, Text *spare)
{
    if (copy_bytes(string, text) < 0) {
        return -1;
    }
    int symbols = 0, stops = 0, hyphens = 0;
    for (size_t i = 0; i < text->size; i++) {
        symbols |= is_symbol(text->bytes[i]);
        stops |= is_stop(text->bytes[i]);
        hyphens |= text->bytes[i] == '-';
    }
    if (symbols) {
        replace(text, "<skipped>", "");
    }
    if (hyphens) {
        replace(text, "-\n", "");
    }
    if (symbols) {
        replace(text, "&quot;", "\"");
        replace(text, "&amp;", "&");
        replace(text, "&lt;", "<");
        replace(text, "&gt;", ">");
    }
    if ((symbols || stops) && substitute(text, spare, separate_symbols) < 0) {
        return -1;
    }
    if (stops
        && (substitute(text, spare, separate_stops_after_non_digits) < 0
            || substitute(text, spare, separate_stops_before_non_digits) < 0)) {
        return -1;
    }
    if (hyphens && substitute(text, spare, separate_hyphens_after_digits) < 0) {
        return -1;
    }
    return split_blanks(text);
}

/* The score of a prediction that has n-grams of every order: the logarithms are added from the first order on. */
static double
bleu_score(const double *matches, size_t length, size_t reference_length, size_t max_order)
{
    if (matches[max_order - 1] == 0.0) {
        return 0.0; /* and with a match of the highest order there is one of every other */
    }
    double logarithm = 0.0;
    for (size_t i = 0; i < max_order; i++) {
        logarithm += (1.0 / (double)max_order) * log(matches[i] / (double)(length - i));
    }
    double ratio = (double)length / (double)reference_length;
    return exp(logarithm) * (ratio > 1.0 ? 1.0 : exp(1 - 1.0 / ratio));
}

#endif
