/* Sums of rows, all of them or by the codes of their labels, as folds.py has them.

   Invariant: every sum is a strict left fold in row order. Buffers may be plain bytes, so a number may lie at any
   address and is copied out of its place. */

#ifndef FULLMARKS_SPEED_FOLD_H
#define FULLMARKS_SPEED_FOLD_H

#include "_speed_text.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

/* ---- buffers ------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *format;
    Py_ssize_t width;
    const char *words;
} NumberKind;

static const NumberKind DOUBLES = {"d", sizeof(double), "doubles"};
static const NumberKind CODES = {"i", sizeof(int32_t), "whole numbers of 32 bits"};
static const NumberKind COUNTS = {"q", sizeof(int64_t), "whole numbers of 64 bits"};

/* A buffer of numbers, to be released. */
typedef struct {
    Py_buffer view;
    char *bytes;
    Py_ssize_t count;
} Numbers;

static int
holds_bytes(const char *format)
{
    return format == NULL || strcmp(format, "B") == 0 || strcmp(format, "b") == 0 || strcmp(format, "c") == 0;
}

/* The numbers of this kind in any contiguous buffer of them or of bytes; -1 with an exception set where it is none. */
static int
take_numbers(PyObject *object, const char *name, const NumberKind *kind, int flags, Numbers *numbers)
{
    Py_buffer *view = &numbers->view;
    if (PyObject_GetBuffer(object, view, PyBUF_FULL_RO | flags) < 0) {
        return -1;
    }
    numbers->bytes = view->buf;
    numbers->count = view->len / kind->width;
    int is_kind = view->format != NULL && strcmp(view->format, kind->format) == 0 && view->itemsize == kind->width;
    if (!is_kind && !holds_bytes(view->format)) {
        PyErr_Format(PyExc_TypeError, "%s are not %s", name, kind->words);
    }
    else if (!PyBuffer_IsContiguous(view, 'C')) {
        PyErr_Format(PyExc_TypeError, "%s are not in one piece", name);
    }
    else if (view->len % kind->width != 0) {
        PyErr_Format(PyExc_ValueError, "%s are %zd bytes, which make no %s", name, view->len, kind->words);
    }
    else {
        return 0;
    }
    PyBuffer_Release(view);
    return -1;
}

static inline double
double_at(const char *bytes, Py_ssize_t place)
{
    double number;
    memcpy(&number, bytes + place * (Py_ssize_t)sizeof number, sizeof number);
    return number;
}

static inline int32_t
code_at(const char *bytes, Py_ssize_t place)
{
    int32_t number;
    memcpy(&number, bytes + place * (Py_ssize_t)sizeof number, sizeof number);
    return number;
}

static inline void
add_at(char *bytes, Py_ssize_t place, double more)
{
    double sum = double_at(bytes, place) + more;
    memcpy(bytes + place * (Py_ssize_t)sizeof sum, &sum, sizeof sum);
}

/* An array of so many zeros, with its buffer taken to be written to; NULL with an exception set. */
static PyObject *
new_array(const State *state, const char *type, Py_ssize_t width, Py_ssize_t count, Py_buffer *view)
{
    static const char zeros[sizeof(double)] = {0};
    PyObject *one = PyObject_CallFunction(state->array_type, "sy#", type, zeros, width);
    PyObject *all = one == NULL ? NULL : PySequence_Repeat(one, count);
    Py_XDECREF(one);
    if (all != NULL && PyObject_GetBuffer(all, view, PyBUF_WRITABLE) < 0) {
        Py_CLEAR(all);
    }
    return all;
}

static int
check_place(Py_ssize_t place, Py_ssize_t places)
{
    if (place >= 0 && place < places) {
        return 0;
    }
    PyErr_Format(PyExc_IndexError, "place %zd, expected 0 to %zd", place, places - 1);
    return -1;
}

/* ---- the sums of all rows ----------------------------------------------------------------------------------- */

enum { KNOWN_WIDTHS = 4 };

/* With a width that the compiler knows the sums stay in registers. */
static ALWAYS_INLINE void
add_known_rows(double *sums, const char *values, Py_ssize_t rows, const Py_ssize_t width)
{
    double own[KNOWN_WIDTHS];
    for (Py_ssize_t column = 0; column < width; column++) {
        own[column] = sums[column];
    }
    for (Py_ssize_t row = 0; row < rows; row++) {
        for (Py_ssize_t column = 0; column < width; column++) {
            own[column] += double_at(values, row * width + column);
        }
    }
    for (Py_ssize_t column = 0; column < width; column++) {
        sums[column] = own[column];
    }
}

static void
add_rows(double *restrict sums, const char *restrict values, Py_ssize_t rows, Py_ssize_t width)
{
    switch (width) {
    case 1:
        add_known_rows(sums, values, rows, 1);
        break;
    case 2:
        add_known_rows(sums, values, rows, 2);
        break;
    case 3:
        add_known_rows(sums, values, rows, 3);
        break;
    case KNOWN_WIDTHS:
        add_known_rows(sums, values, rows, KNOWN_WIDTHS);
        break;
    default:
        for (Py_ssize_t row = 0; row < rows; row++) {
            for (Py_ssize_t column = 0; column < width; column++) {
                sums[column] += double_at(values, row * width + column);
            }
        }
    }
}

/* The sums to go on from: a list, a tuple or a buffer of `width` numbers. */
static int
take_start(PyObject *start, double *sums, Py_ssize_t width)
{
    Py_ssize_t count;
    if (PyList_Check(start) || PyTuple_Check(start)) {
        PyObject *items = PySequence_Tuple(start); /* a number may run any code, which could change a list */
        if (items == NULL) {
            return -1;
        }
        count = PyTuple_GET_SIZE(items);
        for (Py_ssize_t column = 0; count == width && column < width; column++) {
            sums[column] = PyFloat_AsDouble(PyTuple_GET_ITEM(items, column));
            if (sums[column] == -1.0 && PyErr_Occurred()) {
                Py_DECREF(items);
                return -1;
            }
        }
        Py_DECREF(items);
    }
    else {
        Numbers begun;
        if (take_numbers(start, "sums", &DOUBLES, 0, &begun) < 0) {
            return -1;
        }
        count = begun.count;
        if (count == width && width > 0) {
            memcpy(sums, begun.bytes, (size_t)width * sizeof(double));
        }
        PyBuffer_Release(&begun.view);
    }
    if (count != width) {
        PyErr_Format(PyExc_ValueError, "%zd sums to start from, expected %zd", count, width);
        return -1;
    }
    return 0;
}

static PyObject *
listed(const double *numbers, Py_ssize_t count)
{
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = PyFloat_FromDouble(numbers[i]);
        if (item == NULL) {
            Py_CLEAR(list);
        }
        else {
            PyList_SET_ITEM(list, i, item);
        }
    }
    return list;
}

static PyObject *
folded(const Numbers *values, Py_ssize_t width, PyObject *start)
{
    PyObject *totals = NULL;
    if (width < 1 || values->count % width != 0) {
        return PyErr_Format(PyExc_ValueError, "%zd values do not make rows of %zd", values->count, width);
    }
    double *sums = PyMem_Calloc((size_t)width, sizeof(double));
    if (sums == NULL) {
        return PyErr_NoMemory();
    }
    if (start == Py_None || take_start(start, sums, width) == 0) {
        add_rows(sums, values->bytes, values->count / width, width);
        totals = listed(sums, width);
    }
    PyMem_Free(sums);
    return totals;
}

static PyObject *
fold(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"values", "width", "start", NULL};
    PyObject *values, *start = Py_None;
    Py_ssize_t width;
    Numbers numbers;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "On|O:fold", names, &values, &width, &start)
        || take_numbers(values, "values", &DOUBLES, 0, &numbers) < 0) {
        return NULL;
    }
    PyObject *totals = folded(&numbers, width, start);
    PyBuffer_Release(&numbers.view);
    return totals;
}

/* ---- one column --------------------------------------------------------------------------------------------- */

/* Every `width`th value from `first` on as a list; 0.0 and 1.0, most scores, are each one object. */
static PyObject *
list_of_column(const Numbers *values, Py_ssize_t width, Py_ssize_t first)
{
    Py_ssize_t rows = values->count / width;
    PyObject *zero = PyFloat_FromDouble(0.0), *one = PyFloat_FromDouble(1.0);
    PyObject *column = zero == NULL || one == NULL ? NULL : PyList_New(rows);
    for (Py_ssize_t row = 0; column != NULL && row < rows; row++) {
        double value = double_at(values->bytes, row * width + first);
        PyObject *item = value == 1.0                    ? Py_NewRef(one)
                         : value == 0.0 && !signbit(value) ? Py_NewRef(zero)
                                                           : PyFloat_FromDouble(value);
        if (item == NULL) {
            Py_CLEAR(column);
        }
        else {
            PyList_SET_ITEM(column, row, item);
        }
    }
    Py_XDECREF(zero);
    Py_XDECREF(one);
    return column;
}

static PyObject *
column_of(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"values", "width", "column", NULL};
    PyObject *values, *found = NULL;
    Py_ssize_t width, column;
    Numbers numbers;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "Onn:column_of", names, &values, &width, &column)
        || take_numbers(values, "values", &DOUBLES, 0, &numbers) < 0) {
        return NULL;
    }
    if (width < 1 || numbers.count % width != 0 || column < 0 || column >= width) {
        PyErr_Format(PyExc_ValueError, "%zd values do not make rows of %zd with a column %zd", numbers.count, width,
                     column);
    }
    else {
        found = list_of_column(&numbers, width, column);
    }
    PyBuffer_Release(&numbers.view);
    return found;
}

/* ---- codes and places --------------------------------------------------------------------------------------- */

static int
map_codes(const Numbers *codes, const Numbers *table, int32_t *mapped)
{
    for (Py_ssize_t i = 0; i < codes->count; i++) {
        Py_ssize_t code = code_at(codes->bytes, i);
        if (check_place(code, table->count) < 0) {
            return -1;
        }
        mapped[i] = code_at(table->bytes, code);
    }
    return 0;
}

static PyObject *
mapped_codes(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"codes", "table", NULL};
    PyObject *codes, *table, *mapped = NULL;
    Numbers from, by;
    Py_buffer view;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:mapped_codes", names, &codes, &table)
        || take_numbers(codes, "codes", &CODES, 0, &from) < 0) {
        return NULL;
    }
    if (take_numbers(table, "codes", &CODES, 0, &by) == 0) {
        mapped = new_array(PyModule_GetState(module), CODES.format, CODES.width, from.count, &view);
        if (mapped != NULL) {
            int failed = map_codes(&from, &by, view.buf) < 0;
            PyBuffer_Release(&view);
            if (failed) {
                Py_CLEAR(mapped);
            }
        }
        PyBuffer_Release(&by.view);
    }
    PyBuffer_Release(&from.view);
    return mapped;
}

static int
count_places(char *counts, Py_ssize_t groups, const Numbers *places)
{
    for (Py_ssize_t i = 0; i < places->count; i++) {
        Py_ssize_t place = code_at(places->bytes, i);
        if (check_place(place, groups) < 0) {
            return -1;
        }
        int64_t count;
        memcpy(&count, counts + place * (Py_ssize_t)sizeof count, sizeof count);
        count++;
        memcpy(counts + place * (Py_ssize_t)sizeof count, &count, sizeof count);
    }
    return 0;
}

static PyObject *
count_by(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"counts", "places", NULL};
    PyObject *counts, *places, *done = NULL;
    Numbers into, by;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:count_by", names, &counts, &places)
        || take_numbers(counts, "counts", &COUNTS, PyBUF_WRITABLE, &into) < 0) {
        return NULL;
    }
    if (take_numbers(places, "places", &CODES, 0, &by) == 0) {
        done = count_places(into.bytes, into.count, &by) < 0 ? NULL : Py_NewRef(Py_None);
        PyBuffer_Release(&by.view);
    }
    PyBuffer_Release(&into.view);
    return done;
}

/* ---- sums by place ------------------------------------------------------------------------------------------ */

/* Rows on their way to the sums at their places: row after row, or those that `where` names. */
typedef struct {
    Numbers sums, values, places, where;
    int has_where;
    Py_ssize_t width;
} Folding;

static ALWAYS_INLINE int
fold_known_rows(Folding *folding, const Py_ssize_t width)
{
    Py_ssize_t groups = folding->sums.count / width, rows = folding->values.count / width;
    for (Py_ssize_t i = 0; i < folding->places.count; i++) {
        Py_ssize_t place = code_at(folding->places.bytes, i);
        Py_ssize_t row = folding->has_where ? code_at(folding->where.bytes, i) : i;
        if (check_place(place, groups) < 0 || (folding->has_where && check_place(row, rows) < 0)) {
            return -1;
        }
        for (Py_ssize_t column = 0; column < width; column++) {
            add_at(folding->sums.bytes, place * width + column, double_at(folding->values.bytes, row * width + column));
        }
    }
    return 0;
}

static int
fold_all(Folding *folding)
{
    Py_ssize_t width = folding->width, count = folding->values.count;
    Py_ssize_t rows = folding->has_where ? folding->where.count : width < 1 ? 0 : count / width;
    if (width < 1 || folding->sums.count % width != 0 || count % width != 0 || rows != folding->places.count) {
        PyErr_Format(PyExc_ValueError, "%zd values do not make %zd rows of %zd", count, folding->places.count, width);
        return -1;
    }
    switch (width) {
    case 1:
        return fold_known_rows(folding, 1);
    case 2:
        return fold_known_rows(folding, 2);
    case KNOWN_WIDTHS:
        return fold_known_rows(folding, KNOWN_WIDTHS);
    default:
        return fold_known_rows(folding, width);
    }
}

static PyObject *
fold_by(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"sums", "values", "width", "places", "where", NULL};
    PyObject *objects[4] = {NULL, NULL, NULL, Py_None}, *done = NULL;
    static const NumberKind *const kinds[4] = {&DOUBLES, &DOUBLES, &CODES, &CODES};
    static const char *const words[4] = {"sums", "values", "places", "rows"};
    Folding folding = {.width = 0};
    Numbers *numbers[4] = {&folding.sums, &folding.values, &folding.places, &folding.where};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOnO|O:fold_by", names, &objects[0], &objects[1],
                                     &folding.width, &objects[2], &objects[3])) {
        return NULL;
    }
    folding.has_where = objects[3] != Py_None;
    int taken = 0, wanted = folding.has_where ? 4 : 3;
    while (taken < wanted
           && take_numbers(objects[taken], words[taken], kinds[taken], taken == 0 ? PyBUF_WRITABLE : 0, numbers[taken])
                  == 0) {
        taken++;
    }
    if (taken == wanted && fold_all(&folding) == 0) {
        done = Py_NewRef(Py_None);
    }
    while (taken > 0) {
        PyBuffer_Release(&numbers[--taken]->view);
    }
    return done;
}

#endif
