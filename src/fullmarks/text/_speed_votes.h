/* Votes of annotators: how many of them agree with an answer, and the mean of their votes, as votes.py has them.

   Invariant: each distinct text has one normal form, equal forms being one object, so that forms are equal exactly
   where they are the same. */

#ifndef FULLMARKS_SPEED_VOTES_H
#define FULLMARKS_SPEED_VOTES_H

#include "_speed_text.h"
#include "_speed_vqa.h"

enum { FORM_BOTH, FORM_PREDICTION, FORM_UNLESS_EQUAL };
enum { LEAVE_ONE_OUT, ALL_AT_ONCE, ALL_IN_TURN };

static const char *const NORMALISED_NAMES[] = {"both", "prediction", "unless-equal", NULL};
static const char *const RULE_NAMES[] = {"leave-one-out", "all", "all-in-turn", NULL};

typedef struct {
    PyObject *form; /* what makes normal forms, borrowed from the caller's arguments; NULL where texts stay */
    int is_vqa;     /* whether that is a VqaForm */
    int normalised, rule;
    double divisor, cap;
    PyObject *kinds;           /* of records, by example; borrowed, NULL where no two are equal */
    PyObject *by_text, *forms; /* the form of every text that was met, and every form for itself */
    FormSpace space;
    char *agrees; /* of the annotators of one example, whether each agrees */
    size_t *equal; /* and how many that agree have records of each kind */
    size_t count, agreeing, capacity, equal_capacity;
} Votes;

static void
votes_free(Votes *votes)
{
    Py_CLEAR(votes->by_text);
    Py_CLEAR(votes->forms);
    form_space_free(&votes->space);
    PyMem_Free(votes->agrees);
    PyMem_Free(votes->equal);
}

/* ---- texts as they are compared ----------------------------------------------------------------------------- */

/* The form of a text that is met for the first time, borrowed from the forms. */
static PyObject *
first_form(const State *state, Votes *votes, PyObject *text)
{
    PyObject *made = votes->is_vqa ? vqa_form_of(state, (VqaForm *)votes->form, text, &votes->space)
                                   : call_for_string(votes->form, text);
    PyObject *exact = made == NULL ? NULL : PyUnicode_FromObject(made); /* itself, unless of another class */
    Py_XDECREF(made);
    PyObject *form = exact == NULL ? NULL : PyDict_SetDefault(votes->forms, exact, exact);
    if (form != NULL && PyDict_SetItem(votes->by_text, text, form) < 0) {
        form = NULL;
    }
    Py_XDECREF(exact);
    return form;
}

/* Borrowed: the forms hold it. */
static PyObject *
form_of(const State *state, Votes *votes, PyObject *string)
{
    PyObject *text = PyUnicode_FromObject(string);
    PyObject *form = text == NULL ? NULL : PyDict_GetItemWithError(votes->by_text, text);
    if (form == NULL && !PyErr_Occurred()) {
        form = first_form(state, votes, text);
    }
    Py_XDECREF(text);
    return form;
}

static inline Py_UCS4
trimmed_character(PyObject *string, Py_ssize_t at)
{
    Py_UCS4 character = PyUnicode_READ_CHAR(string, at);
    return character == '\n' || character == '\t' ? ' ' : character;
}

/* Whether two texts are the same with line breaks and tabs as blanks and no white space around them. */
static int
same_trimmed(PyObject *left, PyObject *right)
{
    if (strings_equal(left, right)) {
        return 1;
    }
    PyObject *both[2] = {left, right};
    Py_ssize_t start[2] = {0, 0}, end[2];
    for (int i = 0; i < 2; i++) {
        end[i] = PyUnicode_GET_LENGTH(both[i]);
        while (end[i] > 0 && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(both[i], end[i] - 1))) {
            end[i]--;
        }
        while (start[i] < end[i] && Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(both[i], start[i]))) {
            start[i]++;
        }
    }
    if (end[0] - start[0] != end[1] - start[1]) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < end[0] - start[0]; i++) {
        if (trimmed_character(left, start[0] + i) != trimmed_character(right, start[1] + i)) {
            return 0;
        }
    }
    return 1;
}

static int
are_same_trimmed(PyObject *golds)
{
    for (Py_ssize_t i = 1; i < PySequence_Fast_GET_SIZE(golds); i++) {
        if (!same_trimmed(PySequence_Fast_GET_ITEM(golds, 0), PySequence_Fast_GET_ITEM(golds, i))) {
            return 0;
        }
    }
    return 1;
}

/* ---- the votes ---------------------------------------------------------------------------------------------- */

static inline double
vote(const Votes *votes, size_t others)
{
    double share = (double)others / votes->divisor;
    return share < votes->cap ? share : votes->cap;
}

/* The mean vote by the rule, where nobody's record equals another's. */
static double
mean_vote(const Votes *votes)
{
    if (votes->rule == ALL_AT_ONCE || votes->agreeing == 0) {
        return vote(votes, votes->agreeing);
    }
    double full = vote(votes, votes->agreeing), total = 0.0;
    double own = votes->rule == LEAVE_ONE_OUT ? vote(votes, votes->agreeing - 1) : full;
    for (size_t i = 0; i < votes->count; i++) {
        total += votes->agrees[i] ? own : full;
    }
    return total / (double)votes->count;
}

/* The kind of an annotator's record: the place of the first one of that kind. */
static int
kind_at(PyObject *kinds, size_t at, size_t count, size_t *kind)
{
    Py_ssize_t found = PyLong_AsSsize_t(PySequence_Fast_GET_ITEM(kinds, (Py_ssize_t)at));
    if (found == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (found < 0 || (size_t)found >= count) {
        PyErr_Format(PyExc_ValueError, "a record's kind is %zd, expected the place of one of %zu records", found, count);
        return -1;
    }
    *kind = (size_t)found;
    return 0;
}

/* The mean vote where all who have an equal record are left out together: the same kind and the same answer. */
static int
mean_vote_of_records(Votes *votes, PyObject *kinds, double *mean)
{
    size_t count = votes->count, kind;
    double total = 0.0;
    if (reserve(&votes->equal, &votes->equal_capacity, count, sizeof(size_t)) < 0) {
        return -1;
    }
    memset(votes->equal, 0, count * sizeof(size_t));
    for (size_t i = 0; i < count; i++) {
        if (kind_at(kinds, i, count, &kind) < 0) {
            return -1;
        }
        votes->equal[kind] += votes->agrees[i] != 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (kind_at(kinds, i, count, &kind) < 0) {
            return -1;
        }
        total += vote(votes, votes->agreeing - (votes->agrees[i] ? votes->equal[kind] : 0));
    }
    *mean = total / (double)count;
    return 0;
}

#endif
