/* Two sets of items against each other, as sets.py has it.

   Invariant: items are what Python's own sets take for equal, a list standing for the tuple of its elements; hashing
   and comparing may run any code, so every list is measured again before each look into it. */

#ifndef FULLMARKS_SPEED_SETS_H
#define FULLMARKS_SPEED_SETS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* The set of the items, or NULL with an error. */
static PyObject *
set_of_items(PyObject *items)
{
    PyObject *set = PySet_New(NULL);
    for (Py_ssize_t i = 0; set != NULL && i < PySequence_Fast_GET_SIZE(items); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        PyObject *key = PyList_Check(item) ? PyList_AsTuple(item) : Py_NewRef(item);
        if (key == NULL || PySet_Add(set, key) < 0) {
            Py_CLEAR(set);
        }
        Py_XDECREF(key);
    }
    return set;
}

/* How many items of the prediction are in the gold set; below 0 with an error. The set of predicted items is ours
   alone and no longer changes, so that its own iterator may walk it. */
static Py_ssize_t
count_shared(PyObject *predicted, PyObject *gold)
{
    Py_ssize_t shared = 0;
    PyObject *iterator = PyObject_GetIter(predicted), *item;
    if (iterator == NULL) {
        return -1;
    }
    while ((item = PyIter_Next(iterator)) != NULL) {
        int is_in = PySet_Contains(gold, item);
        Py_DECREF(item);
        if (is_in < 0) {
            break;
        }
        shared += is_in;
    }
    Py_DECREF(iterator);
    return PyErr_Occurred() ? -1 : shared;
}

/* Exact match, F1, precision and recall of counted items. */
static void
score_counts(Py_ssize_t shared, Py_ssize_t predicted, Py_ssize_t wanted, double both_empty, double *row)
{
    if (predicted == 0 && wanted == 0) {
        row[0] = 1.0;
        row[1] = row[2] = row[3] = both_empty;
        return;
    }
    double precision = predicted ? (double)shared / (double)predicted : 0.0;
    double recall = wanted ? (double)shared / (double)wanted : 0.0;
    row[0] = shared == predicted && shared == wanted ? 1.0 : 0.0;
    row[1] = shared ? 2 * precision * recall / (precision + recall) : 0.0;
    row[2] = precision;
    row[3] = recall;
}

/* ---- few plain items: compared one by one, which is several times faster than hashing them --------------------- */

#define FEW_ITEMS 16

/* A text, a number, true, false or None, of exactly that type: comparing two of them runs nobody's code. */
static inline int
is_plain(PyObject *value)
{
    return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyBool_Check(value)
           || value == Py_None;
}

/* What Python's sets take for equal among plain values; below 0 with an error. */
static inline int
is_same(PyObject *one, PyObject *other)
{
    if (one == other) {
        return 1;
    }
    if (PyUnicode_CheckExact(one) != PyUnicode_CheckExact(other)) {
        return 0;
    }
    return PyObject_RichCompareBool(one, other, Py_EQ);
}

/* The same for items: plain values, or lists of them. */
static int
is_same_item(PyObject *one, PyObject *other)
{
    int is_list_of = PyList_CheckExact(one) || PyTuple_CheckExact(one);
    if (is_list_of != (PyList_CheckExact(other) || PyTuple_CheckExact(other))) {
        return 0;
    }
    if (!is_list_of) {
        return is_same(one, other);
    }
    Py_ssize_t length = PySequence_Fast_GET_SIZE(one);
    if (length != PySequence_Fast_GET_SIZE(other)) {
        return 0;
    }
    for (Py_ssize_t i = length; i-- > 0;) { /* the numbers of sentences, which are last, are compared faster */
        int same = is_same(PySequence_Fast_GET_ITEM(one, i), PySequence_Fast_GET_ITEM(other, i));
        if (same <= 0) {
            return same;
        }
    }
    return 1;
}

/* Puts the different items into `found` (borrowed) and gives their number: -1 with an error, -2 where the items are not
   few and plain. */
static Py_ssize_t
few_items(PyObject *items, PyObject **found)
{
    Py_ssize_t given = PySequence_Fast_GET_SIZE(items), count = 0;
    if (given > FEW_ITEMS) {
        return -2;
    }
    for (Py_ssize_t i = 0; i < given; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        if (PyList_CheckExact(item) || PyTuple_CheckExact(item)) {
            for (Py_ssize_t j = 0; j < PySequence_Fast_GET_SIZE(item); j++) {
                if (!is_plain(PySequence_Fast_GET_ITEM(item, j))) {
                    return -2;
                }
            }
        }
        else if (!is_plain(item)) {
            return -2;
        }
        int same = 0;
        for (Py_ssize_t j = 0; j < count && same == 0; j++) {
            same = is_same_item(item, found[j]);
        }
        if (same < 0) {
            return -1;
        }
        if (!same) {
            found[count++] = item;
        }
    }
    return count;
}

/* The row of an example with few and plain items: 0, -1 with an error, -2 where they are not. */
static int
few_row(PyObject *prediction, PyObject *golds, double both_empty, double *row)
{
    PyObject *predicted[FEW_ITEMS], *wanted[FEW_ITEMS];
    Py_ssize_t found = few_items(prediction, predicted);
    Py_ssize_t asked = found < 0 ? found : few_items(golds, wanted);
    if (asked < 0) {
        return (int)asked;
    }
    Py_ssize_t shared = 0;
    for (Py_ssize_t i = 0; i < found; i++) {
        int same = 0;
        for (Py_ssize_t j = 0; j < asked && same == 0; j++) {
            same = is_same_item(predicted[i], wanted[j]);
        }
        if (same < 0) {
            return -1;
        }
        shared += same;
    }
    score_counts(shared, found, asked, both_empty, row);
    return 0;
}

/* One example; a prediction of None leaves its row 0. */
static int
set_row(PyObject *prediction, PyObject *golds, Py_ssize_t index, double both_empty, double *row)
{
    if (prediction == Py_None) {
        return 0;
    }
    PyObject *odd = !(PyList_Check(prediction) || PyTuple_Check(prediction)) ? prediction
                    : !(PyList_Check(golds) || PyTuple_Check(golds))        ? golds
                                                                            : NULL;
    if (odd != NULL) {
        PyErr_Format(PyExc_TypeError, "%s %zd is of type %.100s, expected a list",
                     odd == prediction ? "prediction" : "references of example", index, Py_TYPE(odd)->tp_name);
        return -1;
    }
    int few = few_row(prediction, golds, both_empty, row);
    if (few != -2) {
        return few;
    }
    Py_ssize_t shared = -1;
    PyObject *predicted = set_of_items(prediction);
    PyObject *wanted = predicted == NULL ? NULL : set_of_items(golds);
    if (wanted != NULL) {
        shared = count_shared(predicted, wanted);
    }
    if (shared >= 0) {
        score_counts(shared, PySet_GET_SIZE(predicted), PySet_GET_SIZE(wanted), both_empty, row);
    }
    Py_XDECREF(predicted);
    Py_XDECREF(wanted);
    return shared < 0 ? -1 : 0;
}

/* ---- parts together ------------------------------------------------------------------------------------------- */

/* Four doubles of each of the `count` parts, side by side, then exact match, F1, precision and recall of all together. */
static void
join_row(const double *const *parts, Py_ssize_t count, Py_ssize_t at, double *row)
{
    double exact = 1.0, precision = 1.0, recall = 1.0;
    for (Py_ssize_t part = 0; part < count; part++) {
        const double *scores = parts[part] + 4 * at;
        memcpy(row + 4 * part, scores, 4 * sizeof(double));
        exact *= scores[0];
        precision *= scores[2];
        recall *= scores[3];
    }
    row += 4 * count;
    row[0] = exact;
    row[1] = precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0.0;
    row[2] = precision;
    row[3] = recall;
}

#endif
