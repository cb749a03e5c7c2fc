/* Texts cut into tokens by any recipe, and their exact match, F1, precision and recall, as overlap.py has them.

   Invariant: what kind of character one is was asked of the recipe's plan, once for each; a recipe without a plan is
   asked for the normal form of the text. Both may run any Python code, so nothing is borrowed across them. */

#ifndef FULLMARKS_SPEED_OVERLAP_H
#define FULLMARKS_SPEED_OVERLAP_H

#include "_speed_squad.h"

enum { KIND_UNKNOWN = 0, KIND_DELETED = 1, KIND_BLANK = 2, KIND_OTHER = 3, KIND_WORD = 4, KIND_ALONE = 5 };
enum { CODE_POINTS = 0x110000 };

typedef struct {
    PyObject_HEAD
    PyObject *normal;            /* text -> normal form */
    PyObject *prepare, *kind;    /* of the plan; NULL without one */
    unsigned char *kinds;        /* of every code point, as far as it was met */
    unsigned char ascii_kind[128];
    char ascii_becomes[128];
    Text words;                  /* those that become a blank */
    size_t longest_word;
    Text anywhere;               /* the piece that becomes a blank wherever it stands */
} Tokeniser;

/* The string's characters as bytes at the end of the text; -1 on failure. */
static int
append_string(Text *text, PyObject *string)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(string);
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    if (reserve(&text->bytes, &text->capacity, text->size + 4 * (size_t)length + 1, 1) < 0) {
        return -1;
    }
    char *out = text->bytes + text->size;
    for (Py_ssize_t i = 0; i < length; i++) {
        out = put_character(out, PyUnicode_READ(kind, data, i));
    }
    text->size = (size_t)(out - text->bytes);
    return 0;
}

/* The kind of a character that is met for the first time; -1 on failure. */
static int
ask_kind(Tokeniser *self, Py_UCS4 character)
{
    PyObject *answer = PyObject_CallFunction(self->kind, "I", (unsigned int)character);
    long kind = answer == NULL ? -1 : PyLong_AsLong(answer);
    Py_XDECREF(answer);
    if (kind == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (kind < KIND_DELETED || kind > KIND_ALONE) {
        PyErr_Format(PyExc_ValueError, "kind of character %u is %ld, expected 1 to 5", (unsigned int)character, kind);
        return -1;
    }
    self->kinds[character] = (unsigned char)kind;
    return (int)kind;
}

static inline int
is_listed(const Text *words, const char *word, size_t length)
{
    for (size_t i = 0; i < words->count; i++) {
        const Token *token = &words->tokens[i];
        if (token->length == length && memcmp(words->bytes + token->start, word, length) == 0) {
            return 1;
        }
    }
    return 0;
}

static inline void
plan_end_word(const Tokeniser *self, Writer *writer)
{
    Text *text = writer->text;
    size_t end = (size_t)(writer->out - text->bytes), length = end - writer->word;
    if (length > 0 && length <= self->longest_word && is_listed(&self->words, text->bytes + writer->word, length)) {
        if (writer->word > writer->token) {
            text_add_token(text, writer->token, writer->word);
        }
        writer->token = end = writer->word;
        writer->out = text->bytes + end;
    }
    writer->word = end;
}

static inline void
plan_end_token(const Tokeniser *self, Writer *writer)
{
    plan_end_word(self, writer);
    if (writer->word > writer->token) {
        text_add_token(writer->text, writer->token, writer->word);
        writer->token = writer->word;
    }
}

/* Takes the piece away if the open token now ends in it; what stood before it is a token. */
static inline void
drop_piece(const Tokeniser *self, Writer *writer)
{
    size_t length = self->anywhere.size, end = (size_t)(writer->out - writer->text->bytes);
    if (end - writer->token >= length
        && memcmp(writer->out - length, self->anywhere.bytes, length) == 0) {
        writer->out -= length;
        end -= length;
        if (end > writer->token) {
            text_add_token(writer->text, writer->token, end);
        }
        writer->token = writer->word = end;
    }
}

static inline void
plan_character(const Tokeniser *self, Writer *writer, int kind, Py_UCS4 character)
{
    if (kind == KIND_WORD) {
        writer->out = put_character(writer->out, character);
    }
    else if (kind == KIND_BLANK) {
        plan_end_token(self, writer);
        return;
    }
    else if (kind == KIND_OTHER) {
        plan_end_word(self, writer);
        writer->out = put_character(writer->out, character);
        writer->word = (size_t)(writer->out - writer->text->bytes);
    }
    else if (kind == KIND_ALONE) {
        plan_end_token(self, writer);
        writer->out = put_character(writer->out, character);
        writer->word = (size_t)(writer->out - writer->text->bytes);
        plan_end_token(self, writer);
        return;
    }
    else {
        return;
    }
    if (self->anywhere.size) {
        drop_piece(self, writer);
    }
}

static void
plan_ascii(const Tokeniser *self, Writer *writer, const Py_UCS1 *data, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < length; i++) {
        unsigned char kind = self->ascii_kind[data[i]];
        if (kind == KIND_WORD && !self->anywhere.size) {
            *writer->out++ = self->ascii_becomes[data[i]];
        }
        else {
            plan_character(self, writer, kind, (Py_UCS4)self->ascii_becomes[data[i]]);
        }
    }
    plan_end_token(self, writer);
}

static int
plan_unicode(Tokeniser *self, Writer *writer, PyObject *prepared)
{
    int width = PyUnicode_KIND(prepared);
    const void *data = PyUnicode_DATA(prepared);
    Py_ssize_t length = PyUnicode_GET_LENGTH(prepared);
    for (Py_ssize_t i = 0; i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(width, data, i);
        int kind = self->kinds[character];
        if (kind == KIND_UNKNOWN && (kind = ask_kind(self, character)) < 0) {
            return -1;
        }
        plan_character(self, writer, kind, character);
    }
    plan_end_token(self, writer);
    return 0;
}

/* A new reference to the string that the function makes of a text. */
static PyObject *
call_for_string(PyObject *function, PyObject *string)
{
    PyObject *made = PyObject_CallOneArg(function, string);
    if (made != NULL && !PyUnicode_Check(made)) {
        PyErr_Format(PyExc_TypeError, "the normal form is of type %.100s, expected str", Py_TYPE(made)->tp_name);
        Py_CLEAR(made);
    }
    return made;
}

static int
plan_tokens(Tokeniser *self, PyObject *string, Text *text)
{
    int ascii = PyUnicode_IS_ASCII(string);
    PyObject *prepared = ascii ? Py_NewRef(string) : call_for_string(self->prepare, string);
    if (prepared == NULL) {
        return -1;
    }
    size_t length = (size_t)PyUnicode_GET_LENGTH(prepared);
    int failed = reserve(&text->bytes, &text->capacity, (ascii ? 1 : 4) * length + 1, 1) < 0
                 || reserve(&text->tokens, &text->token_capacity, length + 1, sizeof(Token)) < 0;
    if (!failed) {
        Writer writer = {text, text->bytes, 0, 0};
        text->count = 0;
        if (ascii) {
            plan_ascii(self, &writer, PyUnicode_1BYTE_DATA(prepared), (Py_ssize_t)length);
        }
        else {
            failed = plan_unicode(self, &writer, prepared) < 0;
        }
        text->size = (size_t)(writer.out - text->bytes);
    }
    Py_DECREF(prepared);
    return failed ? -1 : 0;
}

/* The tokens of a text whose bytes are those of an ASCII string. */
static void
split_ascii(Text *text)
{
    const unsigned char *bytes = (const unsigned char *)text->bytes;
    for (size_t i = 0; i < text->size; i++) {
        size_t start = i;
        while (i < text->size && (bytes[i] > ' ' || !Py_UNICODE_ISSPACE(bytes[i]))) {
            i++;
        }
        if (i > start) {
            text_add_token(text, start, i);
        }
    }
}

/* Writes the bytes of a string and adds the tokens between its white space. */
static void
split_unicode(Text *text, PyObject *string)
{
    int width = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    char *out = text->bytes;
    size_t start = 0, end = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(string); i++) {
        Py_UCS4 character = PyUnicode_READ(width, data, i);
        out = put_character(out, character);
        if (Py_UNICODE_ISSPACE(character)) {
            if (end > start) {
                text_add_token(text, start, end);
            }
            start = (size_t)(out - text->bytes);
        }
        end = (size_t)(out - text->bytes);
    }
    if (end > start) {
        text_add_token(text, start, end);
    }
    text->size = end;
}

/* The bytes of the whole normal form, with the tokens between its white space. */
static int
normal_tokens(Tokeniser *self, PyObject *string, Text *text)
{
    PyObject *normal = call_for_string(self->normal, string);
    if (normal == NULL) {
        return -1;
    }
    size_t length = (size_t)PyUnicode_GET_LENGTH(normal);
    int ascii = PyUnicode_IS_ASCII(normal);
    int failed = reserve(&text->bytes, &text->capacity, (ascii ? 1 : 4) * length + 1, 1) < 0
                 || reserve(&text->tokens, &text->token_capacity, length / 2 + 1, sizeof(Token)) < 0;
    text->count = 0;
    if (!failed && ascii) {
        memcpy(text->bytes, PyUnicode_1BYTE_DATA(normal), length);
        text->size = length;
        split_ascii(text);
    }
    else if (!failed) {
        split_unicode(text, normal);
    }
    Py_DECREF(normal);
    return failed ? -1 : 0;
}

static int
recipe_tokens(Tokeniser *self, PyObject *string, Text *text)
{
    return self->prepare == NULL ? normal_tokens(self, string, text) : plan_tokens(self, string, text);
}

static int
is_whole_answer(const Text *text, const Text *whole)
{
    return whole->count && text->count == 1
           && is_listed(whole, text->bytes + text->tokens[0].start, text->tokens[0].length);
}

/* Exact match, F1, precision and recall; -1 with an exception set on failure. */
static int
judge(const Text *prediction, const Text *reference, double both_empty, const Text *whole, Ngrams *ngrams,
      double *scores)
{
    int exact = same_tokens(prediction, reference);
    scores[0] = exact;
    scores[1] = scores[2] = scores[3] = 0.0;
    if (prediction->count == 0 || reference->count == 0) {
        if (prediction->count == reference->count) {
            scores[1] = scores[2] = scores[3] = both_empty;
        }
        return 0;
    }
    if (exact) {
        scores[1] = scores[2] = scores[3] = 1.0;
        return 0;
    }
    if (is_whole_answer(prediction, whole) || is_whole_answer(reference, whole)) {
        return 0;
    }
    size_t same;
    if (count_common(prediction, reference, ngrams, &same) < 0) {
        return -1;
    }
    if (same) {
        scores[2] = (double)same / (double)prediction->count;
        scores[3] = (double)same / (double)reference->count;
        scores[1] = 2 * scores[2] * scores[3] / (scores[2] + scores[3]);
    }
    return 0;
}

/* ---- the type ----------------------------------------------------------------------------------------------- */

static int
tokeniser_traverse(Tokeniser *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->normal);
    Py_VISIT(self->prepare);
    Py_VISIT(self->kind);
    return 0;
}

static int
tokeniser_clear(Tokeniser *self)
{
    Py_CLEAR(self->normal);
    Py_CLEAR(self->prepare);
    Py_CLEAR(self->kind);
    return 0;
}

static void
tokeniser_free(Tokeniser *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    tokeniser_clear(self);
    PyMem_RawFree(self->kinds);
    text_free(&self->words);
    text_free(&self->anywhere);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* A tuple of strings as tokens, one after the other. */
static int
fill_words(Text *words, PyObject *listed, size_t *longest)
{
    if (!PyTuple_Check(listed)) {
        PyErr_Format(PyExc_TypeError, "words are of type %.100s, expected a tuple", Py_TYPE(listed)->tp_name);
        return -1;
    }
    size_t count = (size_t)PyTuple_GET_SIZE(listed);
    words->count = words->size = *longest = 0;
    if (reserve(&words->tokens, &words->token_capacity, count, sizeof(Token)) < 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *word = PyTuple_GET_ITEM(listed, (Py_ssize_t)i);
        size_t start = words->size;
        if (!PyUnicode_Check(word)) {
            PyErr_Format(PyExc_TypeError, "word is of type %.100s, expected str", Py_TYPE(word)->tp_name);
            return -1;
        }
        if (append_string(words, word) < 0) {
            return -1;
        }
        text_add_token(words, start, words->size);
        *longest = words->size - start > *longest ? words->size - start : *longest;
    }
    return 0;
}

static int
fill_ascii(Tokeniser *self)
{
    for (Py_UCS4 code = 0; code < 128; code++) {
        PyObject *character = PyUnicode_FromOrdinal((int)code);
        PyObject *changed = character == NULL ? NULL : call_for_string(self->prepare, character);
        Py_XDECREF(character);
        if (changed == NULL) {
            return -1;
        }
        int kind = KIND_DELETED;
        if (PyUnicode_GET_LENGTH(changed) > 0) {
            Py_UCS4 becomes = PyUnicode_READ_CHAR(changed, 0);
            if (PyUnicode_GET_LENGTH(changed) > 1 || becomes > 127) {
                PyErr_SetString(PyExc_ValueError, "an ASCII character must become one such character or none");
                kind = -1;
            }
            else {
                self->ascii_becomes[code] = (char)becomes;
                kind = ask_kind(self, becomes);
            }
        }
        Py_DECREF(changed);
        if (kind < 0) {
            return -1;
        }
        self->ascii_kind[code] = (unsigned char)kind;
    }
    return 0;
}

static int
take_plan(Tokeniser *self, PyObject *plan)
{
    PyObject *words = PyObject_GetAttrString(plan, "words");
    int failed = words == NULL || fill_words(&self->words, words, &self->longest_word) < 0;
    Py_XDECREF(words);
    PyObject *piece = failed ? NULL : PyObject_GetAttrString(plan, "anywhere");
    if (piece != NULL && !PyUnicode_Check(piece)) {
        PyErr_SetString(PyExc_TypeError, "anywhere is not a str");
        Py_CLEAR(piece);
    }
    failed = piece == NULL || append_string(&self->anywhere, piece) < 0;
    Py_XDECREF(piece);
    if (failed) {
        return -1;
    }
    self->kinds = PyMem_RawCalloc(CODE_POINTS, 1); /* pages that nobody touches take no memory */
    if (self->kinds == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->kind = PyObject_GetAttrString(plan, "kind");
    self->prepare = self->kind == NULL ? NULL : PyObject_GetAttrString(plan, "prepare");
    return self->prepare == NULL || fill_ascii(self) < 0 ? -1 : 0;
}

static PyObject *
tokeniser_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"normal", "plan", NULL};
    PyObject *normal, *plan = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:Tokeniser", names, &normal, &plan)) {
        return NULL;
    }
    if (!PyCallable_Check(normal)) {
        PyErr_SetString(PyExc_TypeError, "normal must be callable");
        return NULL;
    }
    Tokeniser *self = (Tokeniser *)type->tp_alloc(type, 0); /* all zero */
    if (self == NULL) {
        return NULL;
    }
    self->normal = Py_NewRef(normal);
    if (plan != Py_None && take_plan(self, plan) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

#endif
