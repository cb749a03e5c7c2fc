/* Fields of many plain objects, taken out at once, as objects.py has it.
 *
 * A key may be compared by any code, and making a list may run the garbage collector: what is looked at is held, and
 * sizes are asked for anew.
 */
#ifndef FULLMARKS_KEYS_OBJECTS_H
#define FULLMARKS_KEYS_OBJECTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if defined(__GNUC__)
#define FETCH(place) __builtin_prefetch(place)
#else
#define FETCH(place) ((void)(place))
#endif

enum { AHEAD = 12, MOST_NAMES = 32 };

/* Asks for the objects that come next: there are more of them than a cache holds. */
static inline void fetch_objects(PyObject *list, Py_ssize_t at) {
    if (at + AHEAD < PyList_GET_SIZE(list))
        FETCH(PyList_GET_ITEM(list, at + AHEAD));
    if (at + AHEAD / 2 < PyList_GET_SIZE(list)) {
        PyObject *next = PyList_GET_ITEM(list, at + AHEAD / 2);
        if (PyDict_CheckExact(next))
            FETCH(((PyDictObject *)next)->ma_keys);
        else if (PyList_CheckExact(next))
            FETCH(((PyListObject *)next)->ob_item);
    }
}

/* Puts into each column what the record has under its name, or None: 1, 0 where that is of another kind, -1 on failure.
 * Without kinds any will do. */
static int put_fields(PyObject *columns, PyObject *names, PyObject *kinds, PyObject *record, Py_ssize_t row) {
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(names); at++) {
        PyObject *value = PyDict_GetItemWithError(record, PyTuple_GET_ITEM(names, at));
        if (value == NULL && PyErr_Occurred())
            return -1;
        value = value == NULL ? Py_None : value;
        if (kinds != NULL && (PyObject *)Py_TYPE(value) != PyTuple_GET_ITEM(kinds, at))
            return 0;
        PyList_SET_ITEM(PyList_GET_ITEM(columns, at), row, Py_NewRef(value));
    }
    return 1;
}

/* So many lists for so many items each, which have to be put in before anybody sees them. */
static PyObject *unfilled_lists(Py_ssize_t count, Py_ssize_t size) {
    PyObject *lists = PyList_New(count);
    for (Py_ssize_t at = 0; lists != NULL && at < count; at++) {
        PyObject *list = PyList_New(size);
        if (list == NULL) {
            Py_DECREF(lists);
            return NULL;
        }
        PyList_SET_ITEM(lists, at, list);
    }
    return lists;
}

/* The names as the record's own keys: a key that is the same object is found without a comparison of texts. */
static PyObject *own_names(PyObject *names, PyObject *record) {
    PyObject *own = PyTuple_New(PyTuple_GET_SIZE(names)), *key, *value;
    for (Py_ssize_t at = 0; own != NULL && at < PyTuple_GET_SIZE(names); at++) {
        PyObject *name = PyTuple_GET_ITEM(names, at), *found = name;
        for (Py_ssize_t place = 0; PyDict_Next(record, &place, &key, &value);)
            if (PyUnicode_CheckExact(key) && PyUnicode_Compare(key, name) == 0)
                found = key;
        PyTuple_SET_ITEM(own, at, Py_NewRef(found));
    }
    return own;
}

/* The columns, None where something is not as it has to be, NULL on failure. */
static PyObject *filled_columns(PyObject *records, PyObject *names, PyObject *kinds) {
    Py_ssize_t count = PyList_GET_SIZE(records);
    PyObject *columns = unfilled_lists(PyTuple_GET_SIZE(names), count);
    for (Py_ssize_t at = 0; columns != NULL && at < count; at++) {
        int put = 0;
        if (at < PyList_GET_SIZE(records)) {
            fetch_objects(records, at);
            PyObject *record = Py_NewRef(PyList_GET_ITEM(records, at));
            put = PyDict_Check(record) ? put_fields(columns, names, kinds, record, at) : 0;
            Py_DECREF(record);
        }
        if (put <= 0) {
            Py_DECREF(columns);
            return put < 0 ? NULL : Py_NewRef(Py_None);
        }
    }
    return columns;
}

static PyObject *columns_of(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *records, *names, *kinds = NULL;
    if (!PyArg_ParseTuple(arguments, "O!O!|O!", &PyList_Type, &records, &PyTuple_Type, &names, &PyTuple_Type, &kinds))
        return NULL;
    if (kinds != NULL && PyTuple_GET_SIZE(kinds) != PyTuple_GET_SIZE(names)) {
        PyErr_SetString(PyExc_ValueError, "expected a kind for every name");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(names); at++)
        if (!PyUnicode_Check(PyTuple_GET_ITEM(names, at))) {
            PyErr_SetString(PyExc_TypeError, "expected texts as names");
            return NULL;
        }
    PyObject *first = Py_NewRef(PyList_GET_SIZE(records) > 0 ? PyList_GET_ITEM(records, 0) : Py_None);
    PyObject *own = PyDict_Check(first) ? own_names(names, first) : Py_NewRef(names);
    Py_DECREF(first);
    PyObject *columns = own == NULL ? NULL : filled_columns(records, own, kinds);
    Py_XDECREF(own);
    return columns;
}

/* Adds the names of a record's fields that are not there yet; -1 on failure. Most records have those of the one before,
 * as the same objects in the same order: `last` holds them, each as long as `names` does. */
static int add_names(PyObject *names, PyObject *record, PyObject **last) {
    PyObject *name, *value;
    for (Py_ssize_t place = 0, at = 0; PyDict_Next(record, &place, &name, &value); at++) {
        if (at < MOST_NAMES && last[at] == name)
            continue;
        Py_ssize_t before = PyDict_GET_SIZE(names);
        Py_INCREF(name);
        int failed = PyDict_SetDefault(names, name, Py_None) == NULL;
        if (!failed && at < MOST_NAMES && PyDict_GET_SIZE(names) > before)
            last[at] = name;
        Py_DECREF(name);
        if (failed)
            return -1;
    }
    return 0;
}

static PyObject *field_names(PyObject *module, PyObject *records) {
    (void)module;
    PyObject *last[MOST_NAMES] = {NULL}, *names;
    if (!PyList_Check(records)) {
        PyErr_SetString(PyExc_TypeError, "expected a list");
        return NULL;
    }
    names = PyDict_New();
    for (Py_ssize_t at = 0; names != NULL && at < PyList_GET_SIZE(records); at++) {
        fetch_objects(records, at);
        PyObject *record = Py_NewRef(PyList_GET_ITEM(records, at));
        if (!PyDict_Check(record)) {
            Py_DECREF(record);
            Py_DECREF(names);
            Py_RETURN_NONE;
        }
        if (add_names(names, record, last) < 0)
            Py_CLEAR(names);
        Py_DECREF(record);
    }
    PyObject *found = names == NULL ? NULL : PyDict_Keys(names);
    Py_XDECREF(names);
    return found;
}

/* A new reference to the text that an object has under the name; NULL where it has none, or on failure. */
static PyObject *text_of(PyObject *object, PyObject *name) {
    PyObject *text = PyDict_GetItemWithError(object, name);
    return text != NULL && PyUnicode_CheckExact(text) ? Py_NewRef(text) : NULL;
}

/* Whether two objects have the same number or text under the name: 1, 0, or -1 on failure. */
static int are_marked_alike(PyObject *object, PyObject *first, PyObject *name) {
    PyObject *mark = PyDict_GetItemWithError(object, name);
    if (mark == NULL || !(PyLong_CheckExact(mark) || PyUnicode_CheckExact(mark)))
        return PyErr_Occurred() ? -1 : 0;
    Py_INCREF(mark);
    PyObject *wanted = PyDict_GetItemWithError(first, name);
    int alike = wanted == mark;
    if (wanted == NULL)
        alike = PyErr_Occurred() ? -1 : 0;
    else if (!alike && Py_TYPE(wanted) == Py_TYPE(mark))
        alike = PyObject_RichCompareBool(mark, wanted, Py_EQ);
    Py_DECREF(mark);
    return alike;
}

/* What is asked of every list: texts under a name and, where there is a mark, the marks of the first list in order. */
typedef struct {
    PyObject *name;
    PyObject *mark; /* NULL for none */
    PyObject *first;
} Wanted;

/* The text of one object of a list, a new reference; NULL where it is not as it has to be, or on failure. */
static PyObject *wanted_text(PyObject *objects, Py_ssize_t at, const Wanted *wanted) {
    if (at >= PyList_GET_SIZE(objects) || !PyDict_Check(PyList_GET_ITEM(objects, at)))
        return NULL;
    PyObject *object = Py_NewRef(PyList_GET_ITEM(objects, at));
    PyObject *text = text_of(object, wanted->name);
    if (text != NULL && wanted->mark != NULL) {
        PyObject *first = at < PyList_GET_SIZE(wanted->first) ? PyList_GET_ITEM(wanted->first, at) : Py_None;
        Py_INCREF(first);
        if (!PyDict_Check(first) || are_marked_alike(object, first, wanted->mark) != 1)
            Py_CLEAR(text);
        Py_DECREF(first);
    }
    Py_DECREF(object);
    return text;
}

/* The texts of one list; None where something is not as it has to be, NULL on failure. */
static PyObject *texts_of(PyObject *objects, const Wanted *wanted) {
    Py_ssize_t count = PyList_GET_SIZE(objects);
    if (wanted->mark != NULL && count != PyList_GET_SIZE(wanted->first))
        return Py_NewRef(Py_None);
    PyObject *texts = PyList_New(count);
    for (Py_ssize_t at = 0; texts != NULL && at < count; at++) {
        PyObject *text = wanted_text(objects, at, wanted);
        if (text == NULL) {
            Py_DECREF(texts);
            return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
        }
        PyList_SET_ITEM(texts, at, text);
    }
    if (texts != NULL)
        PyObject_GC_UnTrack(texts); /* a list of texts is in no circle, so the collector need not look at it */
    return texts;
}

static PyObject *texts_of_lists(PyObject *lists, const Wanted *wanted) {
    PyObject *found = PyList_New(0);
    for (Py_ssize_t at = 0; found != NULL && at < PyList_GET_SIZE(lists); at++) {
        fetch_objects(lists, at);
        PyObject *objects = Py_NewRef(PyList_GET_ITEM(lists, at));
        PyObject *texts = PyList_CheckExact(objects) ? texts_of(objects, wanted) : Py_NewRef(Py_None);
        Py_DECREF(objects);
        if (texts == Py_None) {
            Py_DECREF(found);
            return texts;
        }
        if (texts == NULL || PyList_Append(found, texts) < 0)
            Py_CLEAR(found);
        Py_XDECREF(texts);
    }
    return found;
}

/* The names as the keys of the objects in the lists, if those of the first object are. */
static PyObject *own_inner_names(PyObject *names, PyObject *first) {
    PyObject *object = PyList_CheckExact(first) && PyList_GET_SIZE(first) > 0 ? PyList_GET_ITEM(first, 0) : Py_None;
    Py_INCREF(object);
    PyObject *own = PyDict_Check(object) ? own_names(names, object) : Py_NewRef(names);
    Py_DECREF(object);
    return own;
}

static PyObject *inner_texts(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *lists, *name, *mark = NULL;
    if (!PyArg_ParseTuple(arguments, "O!U|U", &PyList_Type, &lists, &name, &mark))
        return NULL;
    PyObject *first = Py_NewRef(PyList_GET_SIZE(lists) > 0 ? PyList_GET_ITEM(lists, 0) : Py_None);
    PyObject *names = PyTuple_Pack(2, name, mark == NULL ? name : mark);
    PyObject *own = names == NULL ? NULL : own_inner_names(names, first), *found = NULL;
    if (own != NULL) {
        Wanted wanted = {PyTuple_GET_ITEM(own, 0), mark == NULL ? NULL : PyTuple_GET_ITEM(own, 1), first};
        found = texts_of_lists(lists, &wanted);
    }
    Py_XDECREF(own);
    Py_XDECREF(names);
    Py_DECREF(first);
    return found;
}

/* No Python code runs here, nor below. */
static PyObject *are_texts(PyObject *module, PyObject *values) {
    (void)module;
    if (!PyList_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "expected a list");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(values); at++)
        if (!PyUnicode_CheckExact(PyList_GET_ITEM(values, at)))
            Py_RETURN_FALSE;
    Py_RETURN_TRUE;
}

static PyObject *are_texts_by_text(PyObject *module, PyObject *values) {
    (void)module;
    PyObject *key, *value;
    if (!PyDict_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "expected a dict");
        return NULL;
    }
    for (Py_ssize_t place = 0; PyDict_Next(values, &place, &key, &value);)
        if (!PyUnicode_CheckExact(key) || !PyUnicode_CheckExact(value))
            Py_RETURN_FALSE;
    Py_RETURN_TRUE;
}

static PyObject *are_text_lists(PyObject *module, PyObject *lists) {
    (void)module;
    if (!PyList_CheckExact(lists))
        Py_RETURN_FALSE;
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(lists); at++) {
        fetch_objects(lists, at);
        PyObject *list = PyList_GET_ITEM(lists, at);
        if (!PyList_CheckExact(list))
            Py_RETURN_FALSE;
        for (Py_ssize_t place = 0; place < PyList_GET_SIZE(list); place++)
            if (!PyUnicode_CheckExact(PyList_GET_ITEM(list, place)))
                Py_RETURN_FALSE;
    }
    Py_RETURN_TRUE;
}

#endif
