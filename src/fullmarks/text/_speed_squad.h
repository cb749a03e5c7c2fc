/* SQuAD's tokens, exact match and F1, as squad.py has them.

   Invariant: what is a letter, a digit or white space is asked of CPython itself, as `re` and `str.split` do; the
   lower case of a text that is not ASCII comes from `str.lower`. */

#ifndef FULLMARKS_SPEED_SQUAD_H
#define FULLMARKS_SPEED_SQUAD_H

#include "_speed_ngrams.h"
#include "_speed_text.h"

enum { DELETED = 0, BLANK = 1, OTHER = 2 }; /* larger values are the lower-case letter or digit itself */
static unsigned char squad_class[128];

static void
fill_squad_class(void)
{
    for (int code = 0; code < 128; code++) {
        if ((code >= 9 && code <= 13) || (code >= 28 && code <= 32)) {
            squad_class[code] = BLANK;
        }
        else if (code < 32 || code == 127) {
            squad_class[code] = OTHER;
        }
        else if ((code >= '0' && code <= '9') || (code >= 'a' && code <= 'z')) {
            squad_class[code] = (unsigned char)code;
        }
        else {
            squad_class[code] = code >= 'A' && code <= 'Z' ? (unsigned char)(code + 32) : DELETED;
        }
    }
}

static inline int
is_article(const char *word, size_t length)
{
    return length <= 3 && length > 0
           && ((length == 1 && word[0] == 'a') || (length == 2 && word[0] == 'a' && word[1] == 'n')
               || (length == 3 && word[0] == 't' && word[1] == 'h' && word[2] == 'e'));
}

/* Where the writing of tokens stands: the open token and the open word (a run of letters and digits) in it. */
typedef struct {
    Text *text;
    char *out;
    size_t token, word;
} Writer;

/* An article counts as a blank: it ends the token before it. */
static inline void
end_word(Writer *writer)
{
    Text *text = writer->text;
    size_t end = (size_t)(writer->out - text->bytes);
    if (is_article(text->bytes + writer->word, end - writer->word)) {
        if (writer->word > writer->token) {
            text_add_token(text, writer->token, writer->word);
        }
        writer->token = end = writer->word;
        writer->out = text->bytes + end;
    }
    writer->word = end;
}

static inline void
end_token(Writer *writer)
{
    end_word(writer);
    if (writer->word > writer->token) {
        text_add_token(writer->text, writer->token, writer->word);
        writer->token = writer->word;
    }
}

static inline void
squad_ascii(Writer *writer, const Py_UCS1 *data, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < length; i++) {
        unsigned char class = squad_class[data[i]];
        if (class > OTHER) {
            *writer->out++ = (char)class;
        }
        else if (class == BLANK) {
            end_token(writer);
        }
        else if (class == OTHER) {
            end_word(writer);
            *writer->out++ = (char)data[i];
            writer->word++;
        }
    }
    end_token(writer);
}

/* The text is in lower case already. */
static void
squad_unicode(Writer *writer, PyObject *lowered)
{
    int kind = PyUnicode_KIND(lowered);
    const void *data = PyUnicode_DATA(lowered);
    Py_ssize_t length = PyUnicode_GET_LENGTH(lowered);
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        unsigned char class = character < 128 ? squad_class[character] : OTHER;
        if (character >= 128 && Py_UNICODE_ISSPACE(character)) {
            class = BLANK;
        }
        if (class > OTHER || (character >= 128 && class != BLANK && Py_UNICODE_ISALNUM(character))) {
            writer->out = put_character(writer->out, character);
        }
        else if (class == BLANK) {
            end_token(writer);
        }
        else if (class == OTHER) {
            end_word(writer);
            writer->out = put_character(writer->out, character);
            writer->word = (size_t)(writer->out - writer->text->bytes);
        }
    }
    end_token(writer);
}

/* Between two tokens stands a blank or an article, so half as many tokens as characters are enough. */
static int
squad_tokens(const State *state, PyObject *string, Text *text)
{
    int ascii = PyUnicode_IS_ASCII(string);
    if (ascii) {
        Py_INCREF(string);
    }
    else {
        string = PyObject_CallOneArg(state->lower, string);
        if (string == NULL) {
            return -1;
        }
    }
    size_t length = (size_t)PyUnicode_GET_LENGTH(string);
    int failed = reserve(&text->bytes, &text->capacity, (ascii ? 1 : 4) * length + 1, 1) < 0
                 || reserve(&text->tokens, &text->token_capacity, length / 2 + 1, sizeof(Token)) < 0;
    if (!failed) {
        Writer writer = {text, text->bytes, 0, 0};
        text->count = 0;
        if (ascii) {
            squad_ascii(&writer, PyUnicode_1BYTE_DATA(string), (Py_ssize_t)length);
        }
        else {
            squad_unicode(&writer, string);
        }
        text->size = (size_t)(writer.out - text->bytes);
    }
    Py_DECREF(string);
    return failed ? -1 : 0;
}

static int
same_tokens(const Text *left, const Text *right)
{
    if (left->count != right->count || left->size != right->size
        || memcmp(left->bytes, right->bytes, left->size) != 0) {
        return 0;
    }
    for (size_t i = 0; i < left->count; i++) {
        if (left->tokens[i].length != right->tokens[i].length) {
            return 0;
        }
    }
    return 1;
}

/* The size of the intersection of two short multisets: a bit for each reference token that is taken. */
static size_t
count_common_short(const Text *prediction, const Text *reference)
{
    uint64_t taken = 0;
    size_t same = 0;
    for (size_t i = 0; i < prediction->count; i++) {
        const Token *token = &prediction->tokens[i];
        for (size_t j = 0; j < reference->count; j++) {
            const Token *other = &reference->tokens[j];
            if (token_equal(prediction->bytes + token->start, token->length, reference->bytes + other->start,
                            other->length)
                && !(taken >> j & 1)) {
                taken |= (uint64_t)1 << j;
                same++;
                break;
            }
        }
    }
    return same;
}

/* The size of the intersection of two multisets; -1 with an exception set on failure. */
static int
count_common(const Text *prediction, const Text *reference, Ngrams *ngrams, size_t *same)
{
    if (reference->count <= 64 && prediction->count <= 64) {
        *same = count_common_short(prediction, reference);
        return 0;
    }
    double matches = 0.0;
    if (ngrams_start(ngrams, prediction, 1) < 0 || ngrams_add_reference(ngrams, reference) < 0) {
        return -1;
    }
    ngrams_matches(ngrams, &matches);
    *same = (size_t)matches;
    return 0;
}

/* -1 with an exception set on failure. */
static double
token_f1(const Text *prediction, const Text *reference, double both_empty, Ngrams *ngrams)
{
    if (prediction->count == 0 || reference->count == 0) {
        return prediction->count == reference->count ? both_empty : 0.0;
    }
    size_t same;
    if (count_common(prediction, reference, ngrams, &same) < 0) {
        return -1.0;
    }
    if (same == 0) {
        return 0.0;
    }
    double precision = (double)same / (double)prediction->count;
    double recall = (double)same / (double)reference->count;
    return 2 * precision * recall / (precision + recall);
}

/* Whether anything is left of the text: always, if it ends in a word longer than the articles. -1 on failure. */
static int
has_tokens(const State *state, PyObject *string, Text *scratch)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    if (length > 3 && PyUnicode_IS_ASCII(string)) {
        const Py_UCS1 *end = PyUnicode_1BYTE_DATA(string) + length;
        if (squad_class[end[-1]] > OTHER && squad_class[end[-2]] > OTHER && squad_class[end[-3]] > OTHER
            && squad_class[end[-4]] > OTHER) {
            return 1;
        }
    }
    return squad_tokens(state, string, scratch) < 0 ? -1 : scratch->count > 0;
}

#endif
