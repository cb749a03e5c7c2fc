/* Whether lists hold texts, as inputs.py has it.

   Invariant: no Python code runs while lists are looked at; where one has to be made, the garbage collector may run,
   so sizes and items are looked at anew. */

#ifndef FULLMARKS_SPEED_INPUTS_H
#define FULLMARKS_SPEED_INPUTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { NOT_TEXTS = 0, TEXTS_TO_LIST = 1, LISTED_TEXTS = 2 };

static int
all_texts(PyObject *const *items, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyUnicode_Check(items[i])) {
            return 0;
        }
    }
    return 1;
}

/* What the references of one example are: a list of texts, a tuple of texts or one text, or something else. */
static inline int
kind_of_references(PyObject *golds)
{
    if (PyList_CheckExact(golds)) {
        return all_texts(PySequence_Fast_ITEMS(golds), PyList_GET_SIZE(golds)) ? LISTED_TEXTS : NOT_TEXTS;
    }
    if (PyTuple_CheckExact(golds)) {
        return all_texts(PySequence_Fast_ITEMS(golds), PyTuple_GET_SIZE(golds)) ? TEXTS_TO_LIST : NOT_TEXTS;
    }
    return PyUnicode_Check(golds) ? TEXTS_TO_LIST : NOT_TEXTS;
}

/* The least of the kinds in the list: what has to be done with all of it. */
static int
kind_of_all_references(PyObject *references)
{
    int kind = LISTED_TEXTS;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(references) && kind != NOT_TEXTS; i++) {
        int found = kind_of_references(PyList_GET_ITEM(references, i));
        kind = found < kind ? found : kind;
    }
    return kind;
}

/* A new list in which each text and each tuple is a list; None if the references are no texts any more. */
static PyObject *
listed_references(PyObject *references)
{
    PyObject *lists = PyList_New(0);
    for (Py_ssize_t i = 0; lists != NULL && i < PyList_GET_SIZE(references); i++) {
        PyObject *golds = Py_NewRef(PyList_GET_ITEM(references, i)), *made = NULL;
        int kind = kind_of_references(golds);
        if (kind == NOT_TEXTS) {
            Py_DECREF(golds);
            Py_DECREF(lists);
            Py_RETURN_NONE;
        }
        if (kind == LISTED_TEXTS) {
            made = Py_NewRef(golds);
        }
        else if (PyTuple_CheckExact(golds)) {
            made = PySequence_List(golds);
        }
        else if ((made = PyList_New(1)) != NULL) {
            PyList_SET_ITEM(made, 0, Py_NewRef(golds));
        }
        if (made != NULL && made != golds) {
            PyObject_GC_UnTrack(made); /* a list of texts is in no circle, so the collector need not look at it */
        }
        if (made == NULL || PyList_Append(lists, made) < 0) {
            Py_CLEAR(lists);
        }
        Py_XDECREF(made);
        Py_DECREF(golds);
    }
    return lists;
}

static PyObject *
text_lists(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2 || !PyList_Check(arguments[0]) || !PyList_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "text_lists takes two lists");
        return NULL;
    }
    PyObject *predictions = arguments[0], *references = arguments[1];
    int kind = all_texts(PySequence_Fast_ITEMS(predictions), PyList_GET_SIZE(predictions))
                   ? kind_of_all_references(references)
                   : NOT_TEXTS;
    if (kind == TEXTS_TO_LIST) {
        return listed_references(references);
    }
    return Py_NewRef(kind == NOT_TEXTS ? Py_None : references);
}

#endif
