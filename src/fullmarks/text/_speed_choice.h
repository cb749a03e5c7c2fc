/* The letter of an option in a response, as MMMU and LLaVA read it.

   Invariant: what read_mmmu and read_llava of choice_readings.py give. A response is looked at as bytes, in which every
   character beyond ASCII is one that no letter, mark or word of the rules holds; what that cannot tell is left to them. */

#ifndef FULLMARKS_SPEED_CHOICE_H
#define FULLMARKS_SPEED_CHOICE_H

#include "_speed_short.h"

enum { NO_CHOICE = -1, NOT_TOLD = -2, CHOICE_FAILED = -3 };
enum { LETTER_COUNT = 26, LLAVA_COUNT = 5, FEWEST_WORDS = 6, OTHER_CHARACTER = 0xFF };

/* Writes the characters as bytes; 0 where one of them may become ASCII or two characters in lower case. White space
   stays white space, but no blank. */
static int
bytes_of(PyObject *string, Py_ssize_t start, Py_ssize_t end, unsigned char *to)
{
    int kind = PyUnicode_KIND(string), is_plain = 1;
    const void *data = PyUnicode_DATA(string);
    if (PyUnicode_IS_ASCII(string)) {
        memcpy(to, (const unsigned char *)data + start, (size_t)(end - start));
        return 1;
    }
    for (Py_ssize_t i = start; i < end; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        is_plain &= character != 0x130 && character != 0x212A;
        *to++ = character < 128 ? (unsigned char)character : Py_UNICODE_ISSPACE(character) ? '\t' : OTHER_CHARACTER;
    }
    return is_plain;
}

/* The last letter on offer that stands between two marks; NO_CHOICE where none does. As in `next_place` the marks are
   looked for at many places together, here from the end. */
static int
last_marked(const unsigned char *text, size_t size, unsigned char before, unsigned char after, Py_ssize_t offered)
{
    size_t places = size < 3 ? 0 : size - 2;
    while (places > 0) {
        size_t at = places > STEP ? places - STEP : 0;
        const unsigned char *starts = text + at;
        int fits = fit_together(starts, before, starts + 2, after);
        for (size_t i = places - at; fits && i-- > 0;) {
            if (starts[i] == before && starts[i + 2] == after && starts[i + 1] >= 'A' && starts[i + 1] < 'A' + offered) {
                return starts[i + 1] - 'A';
            }
        }
        places = at;
    }
    return NO_CHOICE;
}

static int
has_many_words(const unsigned char *text, size_t size)
{
    int words = 0, was_space = 1;
    for (size_t i = 0; i < size && words < FEWEST_WORDS; i++) {
        int is_space = is_ascii_space(text[i]);
        words += was_space && !is_space;
        was_space = is_space;
    }
    return words == FEWEST_WORDS;
}

/* The option whose text begins last in a text of small letters, the first of equals; an empty one begins at the end. */
static int
last_option(const Text *copy, PyObject *choices, Py_ssize_t offered)
{
    const unsigned char *text = (const unsigned char *)copy->bytes;
    int found = NO_CHOICE;
    size_t from = 0; /* an option must begin here or later to be the last */
    for (Py_ssize_t i = 0; i < offered; i++) {
        PyObject *option = PySequence_Fast_GET_ITEM(choices, i);
        if (option == Py_None) {
            continue;
        }
        if (!PyUnicode_CheckExact(option) || !PyUnicode_IS_ASCII(option)) {
            return NOT_TOLD;
        }
        size_t length = (size_t)PyUnicode_GET_LENGTH(option);
        size_t places = length > copy->size ? 0 : copy->size - length + 1;
        if (length == 0) {
            found = from < places ? (int)i : found;
            from = places;
            continue;
        }
        const unsigned char *wanted = PyUnicode_DATA(option);
        for (size_t at = next_place(text, from, places, wanted, length, 1); at < places;
             at = next_place(text, from, places, wanted, length, 1)) {
            found = (int)i;
            from = at + 1;
        }
    }
    return found;
}

/* The last "(X)", else the last " X ", else the option whose text begins last; marks at the edges do not count. */
static int
mmmu_choice(PyObject *response, PyObject *choices, Py_ssize_t offered, Text *copy)
{
    static const char edges[] = ",.!?;:'";
    int kind = PyUnicode_KIND(response);
    const void *data = PyUnicode_DATA(response);
    Py_ssize_t start = 0, end = PyUnicode_GET_LENGTH(response);
    for (const char *mark = edges; *mark != '\0'; mark++) {
        while (start < end && PyUnicode_READ(kind, data, start) == (Py_UCS4)*mark) {
            start++;
        }
        while (start < end && PyUnicode_READ(kind, data, end - 1) == (Py_UCS4)*mark) {
            end--;
        }
    }
    size_t size = (size_t)(end - start) + 2;
    unsigned char *text = room_for(copy, size);
    if (text == NULL) {
        return CHOICE_FAILED;
    }
    text[0] = text[size - 1] = ' ';
    int is_plain = bytes_of(response, start, end, text + 1);
    int found = last_marked(text, size, '(', ')', offered);
    found = found == NO_CHOICE ? last_marked(text, size, ' ', ' ', offered) : found;
    if (found != NO_CHOICE || choices == NULL || !has_many_words(text, size)) {
        return found;
    }
    if (!is_plain) {
        return NOT_TOLD;
    }
    lower_copy(copy);
    return last_option(copy, choices, offered);
}

/* The whole text, the letter before ". " at its start, or the only one that is announced: one of the first five. */
static int
llava_choice(PyObject *response, Py_ssize_t offered, Text *copy)
{
    static const unsigned char announced[] = "The answer is ";
    const size_t length = sizeof announced - 1;
    size_t size = (size_t)PyUnicode_GET_LENGTH(response);
    unsigned char *text = room_for(copy, size);
    if (text == NULL) {
        return CHOICE_FAILED;
    }
    bytes_of(response, 0, (Py_ssize_t)size, text);
    int found = NO_CHOICE, count = 0;
    if (size > 0 && text[0] >= 'A' && text[0] < 'A' + LLAVA_COUNT
        && (size == 1 || (size >= 3 && text[1] == '.' && text[2] == ' '))) {
        found = text[0] - 'A';
    }
    else if (size >= length + 2) {
        size_t places = size - length - 1; /* a letter and any character follow */
        for (size_t at = next_place(text, 0, places, announced, length, 0); at < places;) {
            unsigned char letter = text[at + length];
            int is_letter = letter >= 'A' && letter <= 'Z' && text[at + length + 1] != '\n';
            found = is_letter ? letter - 'A' : found;
            count += is_letter;
            at = next_place(text, at + (is_letter ? length + 2 : 1), places, announced, length, 0);
        }
        found = count == 1 ? found : NO_CHOICE;
    }
    return found < Py_MIN(offered, LLAVA_COUNT) ? found : NO_CHOICE;
}

/* How many letters are on offer: 26 where nothing is known; -1 where the options are of another kind. */
static Py_ssize_t
offered_letters(PyObject *choices)
{
    Py_ssize_t offered = -1;
    if (choices == Py_None) {
        return LETTER_COUNT;
    }
    if (PyTuple_CheckExact(choices) || PyList_CheckExact(choices)) {
        offered = PySequence_Fast_GET_SIZE(choices);
    }
    else if (PyLong_CheckExact(choices)) {
        int overflow;
        offered = PyLong_AsLongAndOverflow(choices, &overflow);
        offered = overflow ? -1 : offered;
    }
    return Py_MIN(offered, LETTER_COUNT);
}

/* The place of the letter of a response; NO_CHOICE where there is none, NOT_TOLD where the rule itself must say. */
static int
choice_of(PyObject *response, PyObject *choices, int is_llava, Text *copy)
{
    Py_ssize_t offered = offered_letters(choices);
    if (offered < 0) {
        return NOT_TOLD;
    }
    if (is_llava) {
        return llava_choice(response, offered, copy);
    }
    int has_texts = PyTuple_CheckExact(choices) || PyList_CheckExact(choices);
    return mmmu_choice(response, has_texts ? choices : NULL, offered, copy);
}

#endif
