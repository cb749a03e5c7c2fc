/* VQA's normal form of a text, and EvalAI's, which opens the text up before: vqa.py and evalai.py, step by step.

   Invariant: what is white space or a digit is asked of CPython itself, as `str.split` and `re` do; the lower case of a
   text that is not ASCII comes from `str.lower`. */

#ifndef FULLMARKS_SPEED_VQA_H
#define FULLMARKS_SPEED_VQA_H

#include "_speed_overlap.h"
#include "_speed_text.h"

/* The published program passes a flag where the number of replacements belongs: only so many periods go. */
enum { MOST_PERIODS = 32 };

/* A word that does not stay as it is, and what becomes of it; no word is empty. */
typedef struct {
    Token word, becomes;
} Change;

/* What makes normal forms: the changed words, hashed into a table that is at most half full. */
typedef struct {
    PyObject_HEAD
    Text words; /* the bytes that the changes point into */
    Change *changes;
    size_t mask, longest, longest_becomes;
    int is_opened;
} VqaForm;

/* A text between two steps, four bytes a character. */
typedef struct {
    Py_UCS4 *characters;
    size_t count, capacity;
    int is_ascii, has_marks, has_periods;
} Wide;

/* What one text after the other is made in. */
typedef struct {
    Wide wide;
    Text words;
} FormSpace;

static void
form_space_free(FormSpace *space)
{
    PyMem_Free(space->wide.characters);
    text_free(&space->words);
}

/* ---- the changed words -------------------------------------------------------------------------------------- */

static inline size_t
word_hash(const char *word, size_t length)
{
    size_t hash = length;
    for (size_t i = 0; i < length; i++) {
        hash = hash * 31 + (unsigned char)word[i];
    }
    return hash ^ hash >> 7;
}

/* The place of the word in the table, or the free one where it would stand. */
static inline Change *
change_of(const VqaForm *form, const char *word, size_t length)
{
    size_t at = word_hash(word, length) & form->mask;
    while (form->changes[at].word.length > 0
           && !token_equal(form->words.bytes + form->changes[at].word.start, form->changes[at].word.length, word, length)) {
        at = (at + 1) & form->mask;
    }
    return &form->changes[at];
}

static int
append_word(VqaForm *form, PyObject *word, Token *token)
{
    if (!PyUnicode_Check(word)) {
        PyErr_Format(PyExc_TypeError, "word is of type %.100s, expected str", Py_TYPE(word)->tp_name);
        return -1;
    }
    token->start = form->words.size;
    if (append_string(&form->words, word) < 0) {
        return -1;
    }
    token->length = form->words.size - token->start;
    return 0;
}

static int
fill_changes(VqaForm *form, PyObject *changed)
{
    size_t slots = 8;
    while (slots < 2 * (size_t)PyDict_GET_SIZE(changed) + 2) {
        slots *= 2;
    }
    form->mask = slots - 1;
    form->changes = PyMem_Calloc(slots, sizeof(Change));
    if (form->changes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *word, *becomes;
    Py_ssize_t at = 0;
    while (PyDict_Next(changed, &at, &word, &becomes)) {
        Change change;
        if (append_word(form, word, &change.word) < 0 || append_word(form, becomes, &change.becomes) < 0) {
            return -1;
        }
        if (change.word.length > 0) { /* no word of a text is empty */
            *change_of(form, form->words.bytes + change.word.start, change.word.length) = change;
        }
        form->longest = Py_MAX(form->longest, change.word.length);
        form->longest_becomes = Py_MAX(form->longest_becomes, change.becomes.length);
    }
    return 0;
}

static PyObject *
vqa_form_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"changed", "is_opened", NULL};
    PyObject *changed;
    int is_opened = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!|$p:VqaForm", names, &PyDict_Type, &changed, &is_opened)) {
        return NULL;
    }
    VqaForm *self = (VqaForm *)type->tp_alloc(type, 0); /* all zero */
    if (self == NULL) {
        return NULL;
    }
    self->is_opened = is_opened;
    if (fill_changes(self, changed) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void
vqa_form_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    VqaForm *form = (VqaForm *)self;
    text_free(&form->words);
    PyMem_Free(form->changes);
    type->tp_free(self);
    Py_DECREF(type);
}

/* ---- the steps ---------------------------------------------------------------------------------------------- */

static inline int
is_mark(Py_UCS4 character)
{
    switch (character) {
    case ';': case '/': case '[': case ']': case '"': case '{': case '}': case '(': case ')': case '=': case '+':
    case '\\': case '_': case '-': case '>': case '<': case '@': case '`': case ',': case '?': case '!':
        return 1;
    default:
        return 0;
    }
}

/* Line breaks and tabs become blanks. */
static inline void
put_wide(Wide *wide, Py_UCS4 character)
{
    wide->has_marks |= is_mark(character);
    wide->has_periods |= character == '.';
    wide->characters[wide->count++] = character == '\n' || character == '\t' ? ' ' : character;
}

/* EvalAI's first steps on a text in lower case: no commas and question marks, a blank before every 's. */
static inline void
put_opened(Wide *wide, Py_UCS4 character)
{
    if (character == 's' && wide->count > 0 && wide->characters[wide->count - 1] == '\'') {
        wide->characters[wide->count - 1] = ' ';
        wide->characters[wide->count++] = '\'';
    }
    if (character != ',' && character != '?') {
        put_wide(wide, character);
    }
}

/* The text, opened up where the form asks for it; -1 on failure. */
static int
spread(const State *state, const VqaForm *form, PyObject *string, Wide *wide)
{
    wide->is_ascii = PyUnicode_IS_ASCII(string);
    PyObject *read = form->is_opened && !wide->is_ascii ? PyObject_CallOneArg(state->lower, string) : Py_NewRef(string);
    if (read == NULL) {
        return -1;
    }
    size_t length = (size_t)PyUnicode_GET_LENGTH(read);
    int kind = PyUnicode_KIND(read), failed = reserve(&wide->characters, &wide->capacity, 2 * length, sizeof(Py_UCS4)) < 0;
    const void *data = PyUnicode_DATA(read);
    wide->count = 0;
    wide->has_marks = wide->has_periods = 0;
    for (size_t i = 0; !failed && i < length; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, (Py_ssize_t)i);
        if (form->is_opened) {
            put_opened(wide, character < 128 ? (Py_UCS4)Py_TOLOWER(character) : character);
        }
        else {
            put_wide(wide, character);
        }
    }
    Py_DECREF(read);
    return failed ? -1 : 0;
}

/* No white space around: it would make marks touch a blank. */
static void
strip(Wide *wide)
{
    size_t start = 0;
    while (wide->count > 0 && Py_UNICODE_ISSPACE(wide->characters[wide->count - 1])) {
        wide->count--;
    }
    while (start < wide->count && Py_UNICODE_ISSPACE(wide->characters[start])) {
        start++;
    }
    wide->count -= start;
    if (start > 0) {
        memmove(wide->characters, wide->characters + start, wide->count * sizeof(Py_UCS4));
    }
}

/* A mark that touches a blank anywhere is deleted everywhere, and each is if a comma stands in a number; the others
   become blanks. */
static void
blank_marks(Wide *wide)
{
    Py_UCS4 *text = wide->characters;
    unsigned char goes[128] = {0};
    int all_go = 0;
    for (size_t i = 0; i < wide->count; i++) {
        if (is_mark(text[i])) {
            Py_UCS4 before = i > 0 ? text[i - 1] : 0, after = i + 1 < wide->count ? text[i + 1] : 0;
            goes[text[i]] |= before == ' ' || after == ' ';
            all_go |= text[i] == ',' && Py_UNICODE_ISDECIMAL(before) && Py_UNICODE_ISDECIMAL(after);
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < wide->count; i++) {
        if (!is_mark(text[i])) {
            text[kept++] = text[i];
        }
        else if (!all_go && !goes[text[i]]) {
            text[kept++] = ' ';
        }
    }
    wide->count = kept;
}

/* Periods that no digit follows are deleted, the first ones. */
static void
delete_periods(Wide *wide)
{
    Py_UCS4 *text = wide->characters;
    size_t kept = 0, gone = 0;
    for (size_t i = 0; i < wide->count; i++) {
        if (text[i] == '.' && gone < MOST_PERIODS && !(i + 1 < wide->count && Py_UNICODE_ISDECIMAL(text[i + 1]))) {
            gone++;
        }
        else {
            text[kept++] = text[i];
        }
    }
    wide->count = kept;
}

static int
lower_wide(const State *state, Wide *wide)
{
    if (wide->is_ascii) {
        for (size_t i = 0; i < wide->count; i++) {
            wide->characters[i] = (Py_UCS4)Py_TOLOWER(wide->characters[i]);
        }
        return 0;
    }
    PyObject *text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, wide->characters, (Py_ssize_t)wide->count);
    PyObject *lowered = text == NULL ? NULL : PyObject_CallOneArg(state->lower, text);
    Py_XDECREF(text);
    size_t length = lowered == NULL ? 0 : (size_t)PyUnicode_GET_LENGTH(lowered);
    int failed = lowered == NULL || reserve(&wide->characters, &wide->capacity, length, sizeof(Py_UCS4)) < 0
                 || PyUnicode_AsUCS4(lowered, wide->characters, (Py_ssize_t)wide->capacity, 0) == NULL;
    wide->count = length;
    Py_XDECREF(lowered);
    return failed ? -1 : 0;
}

/* One word behind those that stand there already, changed as the table has it; nothing where nothing becomes of it. */
static int
put_word(const VqaForm *form, const Py_UCS4 *word, size_t length, Text *words)
{
    if (reserve(&words->bytes, &words->capacity, words->size + 4 * length + form->longest_becomes + 1, 1) < 0) {
        return -1;
    }
    char *start = words->bytes + words->size, *out = start;
    if (words->size > 0) {
        *out++ = ' ';
    }
    char *first = out;
    for (size_t i = 0; i < length; i++) {
        out = put_character(out, word[i]);
    }
    size_t size = (size_t)(out - first);
    if (size <= form->longest) {
        const Change *change = change_of(form, first, size);
        if (change->word.length > 0) {
            size = change->becomes.length;
            memcpy(first, form->words.bytes + change->becomes.start, size);
        }
    }
    words->size += size > 0 ? (size_t)(first - start) + size : 0;
    return 0;
}

static int
put_words(const VqaForm *form, const Wide *wide, Text *words)
{
    const Py_UCS4 *text = wide->characters;
    words->size = 0;
    for (size_t i = 0; i < wide->count;) {
        size_t end = i;
        while (end < wide->count && !Py_UNICODE_ISSPACE(text[end])) {
            end++;
        }
        if (end > i && put_word(form, text + i, end - i, words) < 0) {
            return -1;
        }
        i = end + 1;
    }
    return 0;
}

/* A new reference to the normal form of a text. */
static PyObject *
vqa_form_of(const State *state, const VqaForm *form, PyObject *string, FormSpace *space)
{
    Wide *wide = &space->wide;
    if (spread(state, form, string, wide) < 0) {
        return NULL;
    }
    strip(wide);
    if (wide->has_marks) {
        blank_marks(wide);
    }
    if (wide->has_periods) {
        delete_periods(wide);
    }
    if (lower_wide(state, wide) < 0 || put_words(form, wide, &space->words) < 0) {
        return NULL;
    }
    return PyUnicode_DecodeUTF8(space->words.size ? space->words.bytes : "", (Py_ssize_t)space->words.size, "surrogatepass");
}

#endif
