/* Relaxed correctness (relaxed.py): numbers within a tolerance, other texts equal but for case.

   Invariant: a text is a number exactly when Python's `float` says so, and then has the same double. Texts that are made
   of digits, signs, points and exponents are read here; those that begin like no number are none; Python is asked about
   the rest. */

#ifndef FULLMARKS_SPEED_RELAXED_H
#define FULLMARKS_SPEED_RELAXED_H

#include "_speed_text.h"
#include <math.h>

enum { LONGEST_READ_HERE = 40 };

typedef struct {
    int is_number;
    double value;
} Relaxed;

static inline int
is_plain_number_character(unsigned char character)
{
    return (character >= '0' && character <= '9') || character == '.' || character == '-' || character == '+'
        || character == 'e' || character == 'E';
}

static inline unsigned char
small_letter(unsigned char character)
{
    return character >= 'A' && character <= 'Z' ? (unsigned char)(character | 0x20) : character;
}

/* Whether no number begins like this ASCII text: with none of white space, a sign, a point, a digit, "inf" and "nan". */
static inline int
begins_no_number(const unsigned char *text, Py_ssize_t length)
{
    unsigned char first = small_letter(text[0]);
    if (first == 'i' || first == 'n') {
        const char *word = first == 'i' ? "inf" : "nan";
        return length < 3 || small_letter(text[1]) != (unsigned char)word[1]
            || small_letter(text[2]) != (unsigned char)word[2];
    }
    int may_begin = (first >= '0' && first <= '9') || first <= ' ' || first == 0x7f || first == '+' || first == '-'
        || first == '.';
    return !may_begin;
}

/* What Python's `float` makes of the first `length` characters; no number where it raises ValueError. -1 on failure. */
static int
number_by_python(PyObject *text, Py_ssize_t length, Relaxed *found)
{
    PyObject *part = PyUnicode_Substring(text, 0, length);
    PyObject *number = part == NULL ? NULL : PyFloat_FromString(part);
    Py_XDECREF(part);
    if (number == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    found->is_number = 1;
    found->value = PyFloat_AS_DOUBLE(number);
    Py_DECREF(number);
    return 0;
}

static int
number_read_here(const unsigned char *text, Py_ssize_t length, Relaxed *found)
{
    char copy[LONGEST_READ_HERE + 1], *end;
    memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    double value = PyOS_string_to_double(copy, &end, NULL);
    if (value == -1.0 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    found->is_number = end == copy + length;
    found->value = value;
    return 0;
}

/* A short decimal number without an exponent: up to fifteen digits are a whole number that a double holds exactly, and so
   is the power of ten below, so that one division rounds as correctly as any reading does. 0 where it is not one. */
static inline int
short_number(const unsigned char *text, Py_ssize_t length, Relaxed *found)
{
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    Py_ssize_t at = text[0] == '-' || text[0] == '+', digits = 0, after_point = 0;
    int64_t whole = 0;
    int has_point = 0;
    for (; at < length; at++) {
        if (text[at] == '.' && !has_point) {
            has_point = 1;
        }
        else if (text[at] >= '0' && text[at] <= '9' && digits < 15) {
            whole = whole * 10 + (text[at] - '0');
            digits++;
            after_point += has_point;
        }
        else {
            return 0;
        }
    }
    if (digits == 0) {
        return 0;
    }
    double value = (double)whole / powers[after_point];
    found->is_number = 1;
    found->value = text[0] == '-' ? -value : value;
    return 1;
}

/* The number of a text, a percentage divided by 100; -1 on failure. */
static int
relaxed_number(PyObject *text, Relaxed *found)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text), whole = length;
    found->is_number = 0;
    while (length > 0 && PyUnicode_READ_CHAR(text, length - 1) == '%') {
        length--;
    }
    int status;
    if (length == 0) {
        return 0;
    }
    if (PyUnicode_IS_ASCII(text)) {
        const unsigned char *bytes = PyUnicode_DATA(text);
        if (begins_no_number(bytes, length)) {
            return 0;
        }
        Py_ssize_t plain = 0;
        if (short_number(bytes, length, found)) {
            status = 0;
        }
        else {
            while (plain < length && is_plain_number_character(bytes[plain])) {
                plain++;
            }
            status = plain == length && length <= LONGEST_READ_HERE ? number_read_here(bytes, length, found)
                                                                     : number_by_python(text, length, found);
        }
    }
    else {
        status = number_by_python(text, length, found);
    }
    if (length < whole) {
        found->value /= 100.0;
    }
    return status;
}

/* Whether two texts are equal in lower case; -1 on failure. Texts that are not ASCII may grow in lower case. */
static int
same_but_for_case(PyObject *one, PyObject *other)
{
    if (PyUnicode_IS_ASCII(one) && PyUnicode_IS_ASCII(other)) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(one);
        if (length != PyUnicode_GET_LENGTH(other)) {
            return 0;
        }
        const unsigned char *left = PyUnicode_DATA(one), *right = PyUnicode_DATA(other);
        if (memcmp(left, right, (size_t)length) == 0) {
            return 1;
        }
        for (Py_ssize_t i = 0; i < length; i++) {
            if (small_letter(left[i]) != small_letter(right[i])) {
                return 0;
            }
        }
        return 1;
    }
    PyObject *left = PyObject_CallMethod(one, "lower", NULL);
    PyObject *right = left == NULL ? NULL : PyObject_CallMethod(other, "lower", NULL);
    int same = right == NULL ? -1 : PyObject_RichCompareBool(left, right, Py_EQ);
    Py_XDECREF(left);
    Py_XDECREF(right);
    return same;
}

/* Whether the answer is right, the tolerance being relative to `wanted`. */
static int
is_relaxed_right(PyObject *answer, const Relaxed *ours, PyObject *target, const Relaxed *wanted, double tolerance)
{
    if (ours->is_number && wanted->is_number && wanted->value != 0.0) {
        return fabs(ours->value - wanted->value) / fabs(wanted->value) <= tolerance;
    }
    return same_but_for_case(answer, target);
}

#endif
