/* Short answers without tokens: whether a text contains a reference, as it is or cleaned as OCRBench does
   (containment.py), and whether two texts end in the same number (number_readings.py).

   Invariant: no Python code runs between two looks at a text, but for the spellings of texts that are not ASCII. */

#ifndef FULLMARKS_SPEED_SHORT_H
#define FULLMARKS_SPEED_SHORT_H

#include "_speed_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* ---- contained ---------------------------------------------------------------------------------------------- */

enum { CASE_KEEP, CASE_LOWER, CASE_SPELLINGS };

static const char *const CASE_NAMES[] = {"keep", "lower", "spellings", NULL};

static inline unsigned char
ascii_lower(unsigned char character)
{
    return character >= 'A' && character <= 'Z' ? (unsigned char)(character | 0x20) : character;
}

static inline unsigned char
ascii_upper(unsigned char character)
{
    return character >= 'a' && character <= 'z' ? (unsigned char)(character & ~0x20) : character;
}

/* Whether what stands at `text`, equal to `wanted` but for case, is one of its spellings that count: the second and the
   third have small letters from the second one on. */
static inline int
is_spelling(const unsigned char *text, const unsigned char *wanted, size_t length)
{
    if (memcmp(text, wanted, length) == 0) {
        return 1;
    }
    for (size_t i = 1; i < length; i++) {
        if (text[i] >= 'A' && text[i] <= 'Z') {
            return 0;
        }
    }
    return 1;
}

static inline int
same_letters(const unsigned char *text, const unsigned char *wanted, size_t length)
{
    size_t same = 0;
    while (same < length && ascii_lower(text[same]) == ascii_lower(wanted[same])) {
        same++;
    }
    return same == length;
}

/* So many places are looked at together, and so many bytes that do not count must lie after a text. */
enum { STEP = 32 };

/* Whether two bytes stand at the same one of so many places. */
#if defined(__SSE2__)
static inline int
fit_together(const unsigned char *starts, unsigned char first, const unsigned char *ends, unsigned char last)
{
    const __m128i one = _mm_set1_epi8((char)first), other = _mm_set1_epi8((char)last);
    __m128i fits = _mm_setzero_si128();
    for (int i = 0; i < STEP; i += (int)sizeof(__m128i)) {
        __m128i starting = _mm_loadu_si128((const __m128i *)(const void *)(starts + i));
        __m128i ending = _mm_loadu_si128((const __m128i *)(const void *)(ends + i));
        fits = _mm_or_si128(fits, _mm_and_si128(_mm_cmpeq_epi8(starting, one), _mm_cmpeq_epi8(ending, other)));
    }
    return _mm_movemask_epi8(fits);
}
#else
static inline int
fit_together(const unsigned char *starts, unsigned char first, const unsigned char *ends, unsigned char last)
{
    unsigned char fits = 0;
    for (int i = 0; i < STEP; i++) {
        fits |= (unsigned char)((starts[i] == first) & (ends[i] == last));
    }
    return fits;
}
#endif

/* The first place from `at` on where what is wanted stands, `places` where there is none; it is not empty. With `folds`
   the text is in small letters and what is wanted in any. First and last letter are compared before the others. */
static inline size_t
next_place(const unsigned char *text, size_t at, size_t places, const unsigned char *wanted, size_t length, int folds)
{
    unsigned char first = folds ? ascii_lower(wanted[0]) : wanted[0];
    unsigned char last = folds ? ascii_lower(wanted[length - 1]) : wanted[length - 1];
    for (; at < places; at += STEP) {
        const unsigned char *starts = text + at, *ends = starts + length - 1;
        int fits = fit_together(starts, first, ends, last);
        for (size_t i = 0; fits && i < STEP && at + i < places; i++) {
            if (starts[i] == first && ends[i] == last
                && (folds ? same_letters(starts + i, wanted, length) : memcmp(starts + i, wanted, length) == 0)) {
                return at + i;
            }
        }
    }
    return places;
}

/* Room for a text of so many bytes and what must lie after it; NULL on failure. */
static unsigned char *
room_for(Text *copy, size_t size)
{
    if (reserve(&copy->bytes, &copy->capacity, size + STEP, 1) < 0) {
        return NULL;
    }
    copy->size = size;
    memset(copy->bytes + size, 0, STEP);
    return (unsigned char *)copy->bytes;
}

/* Makes ASCII letters small; what lies after the text may change too. */
static inline void
lower_copy(Text *copy)
{
    unsigned char *text = (unsigned char *)copy->bytes;
    size_t size = copy->size;
    for (size_t at = 0; at < size; at += STEP) {
        for (int i = 0; i < STEP; i++) {
            text[at + i] = ascii_lower(text[at + i]);
        }
    }
}

/* The text of an ASCII string with room after it, in small letters unless case counts; NULL on failure. */
static const unsigned char *
copy_ascii(PyObject *string, Text *copy, int folds)
{
    unsigned char *to = room_for(copy, (size_t)PyUnicode_GET_LENGTH(string));
    if (to != NULL) {
        memcpy(to, PyUnicode_DATA(string), copy->size);
    }
    if (to != NULL && folds) {
        lower_copy(copy);
    }
    return to;
}

/* Whether a text holds what is wanted; both are ASCII, so that neither `lower` nor `capitalize` changes a length. `copy`
   is the text as `copy_ascii` leaves it. */
static int
ascii_contains(const unsigned char *text, const unsigned char *copy, size_t size, const unsigned char *wanted,
               size_t length, int how)
{
    if (length == 0 || length > size) {
        return length == 0;
    }
    size_t places = size - length + 1;
    size_t at = next_place(copy, 0, places, wanted, length, how != CASE_KEEP);
    while (at < places && how == CASE_SPELLINGS && !is_spelling(text + at, wanted, length)) {
        at = next_place(copy, at + 1, places, wanted, length, 1);
    }
    return at < places;
}

/* The same by the methods of str; -1 on failure. A subclass of str may run any code, so both are held. */
static int
contains_by_method(PyObject *text, PyObject *wanted, const char *method, int is_text_changed)
{
    PyObject *changed = is_text_changed ? PyObject_CallMethod(text, method, NULL) : Py_NewRef(text);
    PyObject *spelling = changed == NULL ? NULL : PyObject_CallMethod(wanted, method, NULL);
    int found = spelling == NULL ? -1 : PyUnicode_Contains(changed, spelling);
    Py_XDECREF(changed);
    Py_XDECREF(spelling);
    return found;
}

static int
string_contains(PyObject *text, PyObject *wanted, int how)
{
    if (how == CASE_LOWER) {
        return contains_by_method(text, wanted, "lower", 1);
    }
    int found = PyUnicode_Contains(text, wanted);
    if (found == 0 && how == CASE_SPELLINGS) {
        found = contains_by_method(text, wanted, "lower", 0);
        found = found == 0 ? contains_by_method(text, wanted, "capitalize", 0) : found;
    }
    return found;
}

static inline int
is_ascii_space(unsigned char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r') || (byte >= 0x1C && byte <= 0x1F);
}

/* The text of an ASCII string without white space at its ends. */
static inline const unsigned char *
trimmed_ascii(PyObject *string, size_t *size)
{
    const unsigned char *text = PyUnicode_DATA(string), *end = text + PyUnicode_GET_LENGTH(string);
    while (text < end && is_ascii_space(*text)) {
        text++;
    }
    while (text < end && is_ascii_space(end[-1])) {
        end--;
    }
    *size = (size_t)(end - text);
    return text;
}

/* Copies an ASCII string without white space at its ends: in small letters and with blanks for line breaks, a formula
   without either and as it is; -1 on failure. */
static int
copy_cleaned(PyObject *string, Text *copy, int is_formula)
{
    size_t size;
    const unsigned char *from = trimmed_ascii(string, &size);
    unsigned char *to = room_for(copy, size);
    if (to == NULL) {
        return -1;
    }
    if (!is_formula) {
        memcpy(to, from, size);
        lower_copy(copy);
        for (unsigned char *found = to; (found = memchr(found, '\n', size - (size_t)(found - to))) != NULL;) {
            *found = ' ';
        }
        return 0;
    }
    size_t kept = 0; /* not in `copy`, which every byte that is written might change */
    for (size_t i = 0; i < size; i++) {
        to[kept] = from[i];
        kept += (from[i] != ' ') & (from[i] != '\n');
    }
    copy->size = kept;
    return 0;
}

/* Whether a cleaned text holds an ASCII string that is cleaned as well; an empty one is in every text. Only formulas and
   strings of several lines are copied. -1 on failure. */
static int
holds_cleaned(const Text *text, PyObject *string, Text *copy, int is_formula)
{
    size_t size;
    const unsigned char *wanted = trimmed_ascii(string, &size);
    int folds = !is_formula;
    if (is_formula || (size <= text->size && memchr(wanted, '\n', size) != NULL)) {
        if (copy_cleaned(string, copy, is_formula) < 0) {
            return -1;
        }
        wanted = (const unsigned char *)copy->bytes;
        size = copy->size;
        folds = 0;
    }
    if (size == 0 || size > text->size) {
        return size == 0;
    }
    size_t places = text->size - size + 1;
    return next_place((const unsigned char *)text->bytes, 0, places, wanted, size, folds) < places;
}

/* The same copy of any string, four bytes for a character; 0 where it holds one whose small letter depends on others or
   is several, or a letter or blank of full width, -1 on failure. */
static int
copy_cleaned_wide(PyObject *string, Text *copy, int is_formula)
{
    int kind = PyUnicode_KIND(string);
    const void *data = PyUnicode_DATA(string);
    Py_ssize_t start = 0, end = PyUnicode_GET_LENGTH(string);
    while (start < end && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, start))) {
        start++;
    }
    while (start < end && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, end - 1))) {
        end--;
    }
    if (room_for(copy, (size_t)(end - start) * sizeof(Py_UCS4)) == NULL) {
        return -1;
    }
    Py_UCS4 *to = (Py_UCS4 *)(void *)copy->bytes;
    for (Py_ssize_t i = start; i < end; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        int is_full_width = character == 0x3000 || (character >= 0xFF01 && character <= 0xFF5E);
        if (character == 0x130 || character == 0x3A3 || is_full_width) {
            return 0;
        }
        if (!is_formula) {
            *to++ = character == '\n' ? ' ' : Py_UNICODE_TOLOWER(character);
        }
        else if (character != ' ' && character != '\n') {
            *to++ = character;
        }
    }
    copy->size = (size_t)((char *)to - copy->bytes);
    return 1;
}

static int
holds_cleaned_wide(const Text *text, const Text *wanted)
{
    for (size_t at = 0; at + wanted->size <= text->size; at += sizeof(Py_UCS4)) {
        if (memcmp(text->bytes + at, wanted->bytes, wanted->size) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- numbers ------------------------------------------------------------------------------------------------ */

enum { READING_MARKED, READING_STRICT, READING_FLEXIBLE };

static const char *const READING_NAMES[] = {"marked", "strict-match", "flexible-extract", NULL};

/* A piece of a string: its characters from `start` up to `end`. */
typedef struct {
    int kind;
    const void *data;
    Py_ssize_t start, end;
} Piece;

static inline Py_UCS4
piece_at(const Piece *piece, Py_ssize_t place)
{
    return PyUnicode_READ(piece->kind, piece->data, place);
}

static inline Piece
whole_string(PyObject *string)
{
    Piece piece = {PyUnicode_KIND(string), PyUnicode_DATA(string), 0, PyUnicode_GET_LENGTH(string)};
    return piece;
}

static inline int
is_ascii_digit(Py_UCS4 character)
{
    return character >= '0' && character <= '9';
}

static inline int
is_of_number(Py_UCS4 character)
{
    return is_ascii_digit(character) || character == '.' || character == ',';
}

/* The place of the next '#' before the end; the end where there is none. In wide characters the byte is looked for. */
static inline Py_ssize_t
next_hash(const Piece *text, Py_ssize_t place)
{
    const char *bytes = text->data;
    Py_ssize_t width = text->kind;
    while (place < text->end) {
        const char *found = memchr(bytes + place * width, '#', (size_t)((text->end - place) * width));
        if (found == NULL) {
            return text->end;
        }
        place = (found - bytes) / width;
        if (piece_at(text, place) == '#') {
            return place;
        }
        place++;
    }
    return text->end;
}

/* Narrows the piece to the first number after a mark; 0 where there is none. */
static int
marked_number(Piece *text)
{
    for (Py_ssize_t at = next_hash(text, 0); at + 5 < text->end; at = next_hash(text, at + 1)) {
        if (piece_at(text, at + 1) != '#' || piece_at(text, at + 2) != '#' || piece_at(text, at + 3) != '#'
            || piece_at(text, at + 4) != ' ') {
            continue;
        }
        Py_ssize_t start = at + 5, first = start + (piece_at(text, start) == '-'), end = first;
        while (end < text->end && is_of_number(piece_at(text, end))) {
            end++;
        }
        if (end > first) {
            text->start = start;
            text->end = end;
            return 1;
        }
    }
    return 0;
}

/* Narrows the piece to the last number anywhere: two or more of its characters, or one digit, and a minus before them. */
static int
last_number(Piece *text)
{
    Py_ssize_t end = text->end;
    while (end > 0) {
        Py_UCS4 character = piece_at(text, end - 1);
        if (!is_of_number(character) && character != '$') {
            end--;
            continue;
        }
        Py_ssize_t start = end - 1;
        while (start > 0 && (is_of_number(piece_at(text, start - 1)) || piece_at(text, start - 1) == '$')) {
            start--;
        }
        if (end - start > 1 || is_ascii_digit(character)) {
            text->start = start - (start > 0 && piece_at(text, start - 1) == '-');
            text->end = end;
            return 1;
        }
        end = start;
    }
    return 0;
}

static inline int
is_skipped(Py_UCS4 character, int reading)
{
    return character == ',' || (character == '$' && reading != READING_MARKED);
}

/* Whether the blank at a place ends a mark, what is skipped not counting. */
static int
ends_mark(const Piece *text, Py_ssize_t blank)
{
    int hashes = 0;
    for (Py_ssize_t at = blank - 1; at >= 0 && hashes < 4; at--) {
        Py_UCS4 character = piece_at(text, at);
        if (character == '#') {
            hashes++;
        }
        else if (!is_skipped(character, READING_STRICT)) {
            return 0;
        }
    }
    return hashes == 4;
}

/* Narrows the piece to what stands after the last mark, and leaves one full stop at the end away. A full stop before a
   line break may stay: no number holds a line break, so nothing equals such a piece. */
static void
clean_piece(Piece *text, int may_hold_marks)
{
    for (Py_ssize_t at = text->end - 1; may_hold_marks && at >= 0; at--) {
        if (piece_at(text, at) == ' ' && ends_mark(text, at)) {
            text->start = at + 1;
            break;
        }
    }
    Py_ssize_t last = text->end - 1;
    while (last >= text->start && is_skipped(piece_at(text, last), READING_STRICT)) {
        last--;
    }
    if (last >= text->start && piece_at(text, last) == '.') {
        text->end = last;
    }
}

/* Whether two pieces are equal, what is skipped not counting; only the first may have capitals that do not count. */
static int
same_pieces(const Piece *wanted, const Piece *number, int reading)
{
    Py_ssize_t i = wanted->start, j = number->start;
    for (;;) {
        while (i < wanted->end && is_skipped(piece_at(wanted, i), reading)) {
            i++;
        }
        while (j < number->end && is_skipped(piece_at(number, j), reading)) {
            j++;
        }
        if (i == wanted->end || j == number->end) {
            return i == wanted->end && j == number->end;
        }
        Py_UCS4 one = piece_at(wanted, i++), other = piece_at(number, j++);
        if (reading != READING_MARKED && one < 128) {
            one = ascii_lower((unsigned char)one);
        }
        if (one != other) {
            return 0;
        }
    }
}

/* The number of a prediction; 0 where there is nothing to compare. */
static int
predicted_number(PyObject *prediction, int reading, Piece *number)
{
    static const char invalid[] = "[invalid]";
    *number = whole_string(prediction);
    int found = reading == READING_FLEXIBLE ? last_number(number) : marked_number(number);
    if (reading == READING_MARKED) {
        return found;
    }
    if (!found) {
        Piece none = {PyUnicode_1BYTE_KIND, invalid, 0, sizeof invalid - 1};
        *number = none;
    }
    clean_piece(number, 0);
    return 1;
}

static int
is_same_number(const Piece *number, PyObject *reference, int reading)
{
    Piece wanted = whole_string(reference);
    if (reading == READING_MARKED) {
        marked_number(&wanted);
    }
    else {
        clean_piece(&wanted, 1);
    }
    return same_pieces(&wanted, number, reading);
}

/* The place of a word among the names, a NULL ending them; -1 with an error set where it is none. */
static int
named_choice(const char *name, const char *word, const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(word, names[i]) == 0) {
            return i;
        }
    }
    PyErr_Format(PyExc_ValueError, "%s is '%.100s', expected one of %s, %s, %s", name, word, names[0], names[1], names[2]);
    return -1;
}

#endif
