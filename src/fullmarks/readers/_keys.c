/* Repeated keys of JSON objects, found in the bytes: what a decoder that keeps the last of two never tells. And the
 * fields of many objects at once.
 *
 * The bytes may be any; only of valid JSON does the answer mean something. Nothing is read beyond their end.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>
#include <string.h>

#include "_keys_objects.h"

#define NO_REPEAT (-1)
#define UNSURE (-2)
#define FEW_KEYS 24
#define MOST_DEPTH 4096

typedef struct {
    const char *start;
    Py_ssize_t length;
} Key;

typedef struct {
    Key *items;
    Py_ssize_t count, room;
} Keys;

/* For every open bracket: where the keys of an object begin, or -1 for a list. */
typedef struct {
    Py_ssize_t starts[MOST_DEPTH];
    int depth;
} Brackets;

static int add_key(Keys *keys, const char *start, Py_ssize_t length) {
    if (keys->count == keys->room) {
        Py_ssize_t room = keys->room ? 2 * keys->room : 64;
        Key *items = PyMem_RawRealloc(keys->items, (size_t)room * sizeof(Key));
        if (items == NULL)
            return -1;
        keys->items = items;
        keys->room = room;
    }
    keys->items[keys->count].start = start;
    keys->items[keys->count].length = length;
    keys->count++;
    return 0;
}

/* The quote that ends a string whose text begins at `from`; NULL if there is none. */
static const char *closing_quote(const char *from, const char *end) {
    const char *at = from;
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        const char *before = at;
        while (before > from && before[-1] == '\\')
            before--;
        if ((at - before) % 2 == 0)
            return at;
        at++;
    }
    return NULL;
}

static int same_text(const Key *one, const Key *other) {
    return one->length == other->length && memcmp(one->start, other->start, (size_t)one->length) == 0;
}

/* By text, equal ones by place. */
static int by_text(const void *left, const void *right) {
    const Key *one = left, *other = right;
    Py_ssize_t shorter = one->length < other->length ? one->length : other->length;
    int order = memcmp(one->start, other->start, (size_t)shorter);
    if (order == 0 && one->length != other->length)
        order = one->length < other->length ? -1 : 1;
    return order ? order : (one->start > other->start) - (one->start < other->start);
}

/* The first key of an object that was there before; NULL if all are different. The keys may change places. */
static const char *repeated_in(Key *keys, Py_ssize_t count) {
    const char *first = NULL;
    if (count <= FEW_KEYS) {
        for (Py_ssize_t later = 1; later < count; later++)
            for (Py_ssize_t earlier = 0; earlier < later; earlier++)
                if (same_text(keys + earlier, keys + later))
                    return keys[later].start;
        return NULL;
    }
    qsort(keys, (size_t)count, sizeof(Key), by_text);
    for (Py_ssize_t at = 1; at < count; at++)
        if (same_text(keys + at - 1, keys + at) && (first == NULL || keys[at].start < first))
            first = keys[at].start;
    return first;
}

/* The place of the first repeated key, NO_REPEAT, or UNSURE; -3 when memory is out. */
static Py_ssize_t find_repeat(const char *data, Py_ssize_t size, int skip_outermost, Keys *keys, Brackets *open) {
    const char *end = data + size, *at = data;
    int expects_key = 0;
    while (at < end) {
        char byte = *at++;
        if (byte == '"') {
            const char *quote = closing_quote(at, end);
            if (quote == NULL)
                return UNSURE;
            if (expects_key) {
                if (!(skip_outermost && open->depth == 1)) {
                    if (memchr(at, '\\', (size_t)(quote - at)) != NULL)
                        return UNSURE;
                    if (add_key(keys, at, quote - at) < 0)
                        return -3;
                }
                expects_key = 0;
            }
            at = quote + 1;
        } else if (byte == ',') {
            expects_key = open->depth > 0 && open->starts[open->depth - 1] >= 0;
        } else if (byte == '{' || byte == '[') {
            if (open->depth == MOST_DEPTH)
                return UNSURE;
            open->starts[open->depth++] = byte == '{' ? keys->count : -1;
            expects_key = byte == '{';
        } else if (byte == '}' || byte == ']') {
            if (open->depth == 0)
                return UNSURE;
            Py_ssize_t start = open->starts[--open->depth];
            if ((byte == '}') != (start >= 0))
                return UNSURE;
            if (start >= 0) {
                const char *repeat = keys->count > start ? repeated_in(keys->items + start, keys->count - start) : NULL;
                if (repeat != NULL)
                    return repeat - data;
                keys->count = start;
            }
            expects_key = 0;
        }
    }
    return open->depth ? UNSURE : NO_REPEAT;
}

static PyObject *repeated_key(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer data;
    int skip_outermost;
    if (!PyArg_ParseTuple(arguments, "y*p", &data, &skip_outermost))
        return NULL;
    Keys keys = {NULL, 0, 0};
    Brackets *open = PyMem_RawMalloc(sizeof(Brackets));
    Py_ssize_t place = -3;
    if (open != NULL) {
        open->depth = 0;
        place = find_repeat(data.buf, data.len, skip_outermost, &keys, open);
    }
    PyMem_RawFree(open);
    PyMem_RawFree(keys.items);
    PyBuffer_Release(&data);
    return place == -3 ? PyErr_NoMemory() : PyLong_FromSsize_t(place);
}

static PyMethodDef functions[] = {
    {"repeated_key", repeated_key, METH_VARARGS,
     "Where the first key that an object has twice begins; -1 if there is none, -2 if only decoding can tell."},
    {"columns_of", columns_of, METH_VARARGS,
     "What the objects of a list have under each of the names, a list a name; None where one is of another kind."},
    {"field_names", field_names, METH_O,
     "The names of all fields of the objects in a list; None where something is no object."},
    {"inner_texts", inner_texts, METH_VARARGS,
     "The texts that the objects of every list have under a name; None where one has none."},
    {"are_text_lists", are_text_lists, METH_O, "Whether this is a list of lists of texts."},
    {"are_texts", are_texts, METH_O, "Whether a list holds texts alone."},
    {"are_texts_by_text", are_texts_by_text, METH_O, "Whether the keys and the values of an object are all texts."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "fullmarks.readers._keys", NULL, 0, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__keys(void) { return PyModule_Create(&definition); }
