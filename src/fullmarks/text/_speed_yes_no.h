/* Answers to yes-or-no questions as POPE and MME read them, character by character.

   Invariant: what read_pope, read_mme and is_yes of yes_no.py give. */

#ifndef FULLMARKS_SPEED_YES_NO_H
#define FULLMARKS_SPEED_YES_NO_H

#include "_speed_text.h"

enum { SAYS_YES, SAYS_NO, SAYS_OTHER };

/* The word that begins at `*at`, commas left out: whether it is one of the three; `*at` is then where it ends. */
static int
is_denial(int kind, const void *data, Py_ssize_t length, Py_ssize_t *at)
{
    Py_UCS4 word[3] = {0, 0, 0};
    int size = 0; /* 4 is any longer one */
    for (; *at < length; (*at)++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, *at);
        if (character == ' ' || character == '.') {
            break;
        }
        if (character != ',') {
            if (size < 3) {
                word[size] = character;
            }
            size = size < 3 ? size + 1 : 4;
        }
    }
    return (size == 2 && (word[0] == 'n' || word[0] == 'N') && word[1] == 'o')
           || (size == 3 && word[0] == 'n' && word[1] == 'o' && word[2] == 't');
}

/* "No", "no" or "not" among the words before the first period, commas deleted; only U+0020 parts words. Most words
   begin otherwise, and are passed over. */
static int
pope_answer(PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), i = 0;
    if (kind == PyUnicode_1BYTE_KIND) {
        const Py_UCS1 *bytes = data;
        for (; i < length && bytes[i] != '.'; i++) {
            if (bytes[i] == ' ' || bytes[i] == ',') {
                continue;
            }
            if ((bytes[i] | 32) == 'n' && is_denial(kind, data, length, &i)) {
                return SAYS_NO;
            }
            while (i < length && bytes[i] != ' ' && bytes[i] != '.') {
                i++;
            }
            if (i == length || bytes[i] == '.') {
                break;
            }
        }
        return SAYS_YES;
    }
    for (; i < length && PyUnicode_READ(kind, data, i) != '.'; i += i < length && PyUnicode_READ(kind, data, i) == ' ') {
        if (is_denial(kind, data, length, &i)) {
            return SAYS_NO;
        }
    }
    return SAYS_YES;
}

/* "yes", then "no", in the first four characters of the text in lower case. U+0130 is the one character that becomes
   two there, and no other beyond ASCII becomes one of these letters. */
static int
mme_answer(PyObject *text)
{
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_UCS4 start[5] = {0, 0, 0, 0, 0};
    int size = 0;
    for (Py_ssize_t i = 0; i < length && size < 4; i++) {
        Py_UCS4 character = PyUnicode_READ(kind, data, i);
        start[size] = character >= 'A' && character <= 'Z' ? character + 32 : character;
        size += character == 0x130 ? 2 : 1;
    }
    start[4] = 0;
    for (int i = 0; i < 2; i++) {
        if (start[i] == 'y' && start[i + 1] == 'e' && start[i + 2] == 's') {
            return SAYS_YES;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (start[i] == 'n' && start[i + 1] == 'o') {
            return SAYS_NO;
        }
    }
    return SAYS_OTHER;
}

static int
is_word(PyObject *text, const char *word, int any_case)
{
    Py_ssize_t length = (Py_ssize_t)strlen(word);
    if (PyUnicode_GET_LENGTH(text) != length || !PyUnicode_IS_ASCII(text)) {
        return 0;
    }
    const char *found = PyUnicode_DATA(text);
    for (Py_ssize_t i = 0; i < length; i++) {
        char character = any_case && found[i] >= 'A' && found[i] <= 'Z' ? (char)(found[i] + 32) : found[i];
        if (character != word[i]) {
            return 0;
        }
    }
    return 1;
}

/* 1 or 0; -1 with ValueError set where the label is neither. For POPE all but "no" is yes. */
static int
is_yes(PyObject *label, int is_pope)
{
    if (is_word(label, "no", !is_pope)) {
        return 0;
    }
    if (is_pope || is_word(label, "yes", 1)) {
        return 1;
    }
    PyErr_Format(PyExc_ValueError, "expected yes or no as the right answer, found %R", label);
    return -1;
}

#endif
