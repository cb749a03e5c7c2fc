/* The codes of labels, as codes.py has them.

   Invariant: labels are equal where Python says so. Texts have a table of their own, in which places are asked for
   long before they are looked at: among many labels the wait for memory is nearly all there is. Labels that may equal
   texts without being such, and may run any code when compared, put an end to that: then a dict holds them all. */

#ifndef FULLMARKS_SPEED_CODES_H
#define FULLMARKS_SPEED_CODES_H

#include "_speed_hash.h"

enum { AT_ONCE = 32, FIRST_SLOTS = 64, PLACE_OF_LETTERS = 48, FEW_LETTERS = 15, MANY_LETTERS = 255 };

/* A text with its code. One of few letters, all of them ASCII, stands in the slot and is not looked at elsewhere. */
typedef struct {
    PyObject *text; /* borrowed from the labels; NULL where nothing is */
    uint32_t hash;
    int32_t code;
    char letters[FEW_LETTERS];
    unsigned char size; /* how many letters; MANY_LETTERS where they are more or others */
} TextSlot;

typedef struct {
    PyObject_HEAD
    PyObject *labels; /* a list by code; NULL once the dict holds them all */
    PyObject *others; /* the labels that are no texts, with their codes; at the end all of them */
    TextSlot *slots;
    size_t slot_count, texts;
} Codebook;

static inline uint32_t
hash_of_letters(PyObject *text)
{
    size_t size = (size_t)PyUnicode_GET_LENGTH(text) * PyUnicode_KIND(text);
    return (uint32_t)hash_of_bytes(PyUnicode_DATA(text), size, SEED_OF_TEXT);
}

static inline unsigned char
size_in_slot(PyObject *text)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    return PyUnicode_IS_ASCII(text) && length <= FEW_LETTERS ? (unsigned char)length : MANY_LETTERS;
}

static inline int
holds_text(const TextSlot *slot, PyObject *text, uint32_t hash)
{
    unsigned char size = size_in_slot(text);
    if (slot->hash != hash || slot->size != size) {
        return 0;
    }
    return size == MANY_LETTERS ? strings_equal(slot->text, text) : memcmp(slot->letters, PyUnicode_DATA(text), size) == 0;
}

/* The slot that holds the text, or the one where it belongs. */
static inline TextSlot *
slot_of(const Codebook *book, PyObject *text, uint32_t hash)
{
    for (size_t at = hash & (book->slot_count - 1);; at = (at + 1) & (book->slot_count - 1)) {
        TextSlot *slot = book->slots + at;
        if (slot->text == NULL || holds_text(slot, text, hash)) {
            return slot;
        }
    }
}

/* Twice as many slots; half of them stay free at least. */
static int
more_slots(Codebook *book)
{
    size_t count = book->slot_count ? 2 * book->slot_count : FIRST_SLOTS;
    TextSlot *slots = PyMem_Calloc(count, sizeof(TextSlot));
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < book->slot_count; i++) {
        size_t at = book->slots[i].hash & (count - 1);
        if (book->slots[i].text == NULL) {
            continue;
        }
        while (slots[at].text != NULL) {
            at = (at + 1) & (count - 1);
        }
        slots[at] = book->slots[i];
    }
    PyMem_Free(book->slots);
    book->slots = slots;
    book->slot_count = count;
    return 0;
}

/* The code of a new label, which is added to the list of all; -1 with an exception set. */
static int32_t
next_code(Codebook *book, PyObject *label)
{
    Py_ssize_t code = PyList_GET_SIZE(book->labels);
    if (code > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "more labels than codes");
        return -1;
    }
    return PyList_Append(book->labels, label) < 0 ? -1 : (int32_t)code;
}

static int32_t
code_of_text(Codebook *book, PyObject *text, uint32_t hash)
{
    TextSlot *slot = slot_of(book, text, hash);
    if (slot->text != NULL) {
        return slot->code;
    }
    int32_t code = next_code(book, text);
    if (code >= 0) {
        *slot = (TextSlot){.text = text, .hash = hash, .code = code, .size = size_in_slot(text)};
        if (slot->size != MANY_LETTERS) {
            memcpy(slot->letters, PyUnicode_DATA(text), slot->size);
        }
        if (2 * ++book->texts > book->slot_count && more_slots(book) < 0) {
            return -1;
        }
    }
    return code;
}

/* The code that the dict has, -1 with an exception set; `next` is that of a label that is new to it. */
static int32_t
code_in(PyObject *known, PyObject *label, Py_ssize_t next)
{
    PyObject *place = PyDict_GetItemWithError(known, label);
    if (place != NULL) {
        return (int32_t)PyLong_AsLong(place);
    }
    if (PyErr_Occurred()) {
        return -1;
    }
    if (next > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "more labels than codes");
        return -1;
    }
    place = PyLong_FromSsize_t(next);
    int failed = place == NULL || PyDict_SetItem(known, label, place) < 0;
    Py_XDECREF(place);
    return failed ? -1 : (int32_t)next;
}

/* True for what equals no text, and whose comparison runs no code but Python's own. */
static inline int
is_plain_label(PyObject *label)
{
    return label == Py_None || PyLong_CheckExact(label) || PyFloat_CheckExact(label) || PyBool_Check(label);
}

static int32_t
code_of_other(Codebook *book, PyObject *label)
{
    Py_ssize_t next = PyList_GET_SIZE(book->labels);
    int32_t code = code_in(book->others, label, next);
    return code == next ? next_code(book, label) : code;
}

/* Codes up to the first label that is neither a text nor plain; its place, -1 with an exception set. */
static Py_ssize_t
fill_plain_codes(Codebook *book, PyObject *const *labels, Py_ssize_t count, int32_t *codes)
{
    uint32_t hashes[AT_ONCE];
    const PyObject *last = NULL;
    int32_t code = 0;
    for (Py_ssize_t start = 0; start < count; start += AT_ONCE) {
        Py_ssize_t size = Py_MIN(count - start, AT_ONCE);
        PyObject *const *own = labels + start;
        for (Py_ssize_t i = 0; i < size; i++) {
            const char *ahead = (const char *)labels[Py_MIN(start + i + AT_ONCE / 2, count - 1)];
            FETCH(ahead);
            FETCH(ahead + PLACE_OF_LETTERS);
            if (PyUnicode_CheckExact(own[i])) {
                if (!is_string(own[i])) {
                    return -1;
                }
                hashes[i] = hash_of_letters(own[i]);
                FETCH(book->slots + (hashes[i] & (book->slot_count - 1)));
            }
        }
        for (Py_ssize_t i = 0; i < size; i++) {
            if (PyUnicode_CheckExact(own[i]) && size_in_slot(own[i]) == MANY_LETTERS) {
                const char *known = (const char *)book->slots[hashes[i] & (book->slot_count - 1)].text;
                if (known != NULL) {
                    FETCH(known);
                    FETCH(known + PLACE_OF_LETTERS);
                }
            }
        }
        for (Py_ssize_t i = 0; i < size; i++) {
            if (own[i] != last) {
                last = own[i];
                if (PyUnicode_CheckExact(own[i])) {
                    code = code_of_text(book, own[i], hashes[i]);
                }
                else if (is_plain_label(own[i])) {
                    code = code_of_other(book, own[i]);
                }
                else {
                    return start + i;
                }
                if (code < 0) {
                    return -1;
                }
            }
            codes[start + i] = code;
        }
    }
    return count;
}

/* From now on the dict holds every label. */
static int
leave_table(Codebook *book)
{
    if (book->labels == NULL) {
        return 0;
    }
    PyObject *known = PyDict_New();
    for (Py_ssize_t i = 0; known != NULL && i < PyList_GET_SIZE(book->labels); i++) {
        if (code_in(known, PyList_GET_ITEM(book->labels, i), i) < 0) {
            Py_CLEAR(known);
        }
    }
    if (known == NULL) {
        return -1;
    }
    Py_SETREF(book->others, known);
    Py_CLEAR(book->labels);
    PyMem_Free(book->slots);
    book->slots = NULL;
    return 0;
}

/* Codes from a place on; that of the first tuple, the count where there is none, -1 with an exception set. */
static Py_ssize_t
fill_any_codes(PyObject *known, PyObject *values, Py_ssize_t at, Py_ssize_t count, int32_t *codes)
{
    for (; at < count; at++) {
        if (at >= PySequence_Fast_GET_SIZE(values)) {
            PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was read");
            return -1;
        }
        PyObject *label = PySequence_Fast_GET_ITEM(values, at);
        if (PyTuple_CheckExact(label)) {
            return at;
        }
        Py_INCREF(label);
        codes[at] = code_in(known, label, PyDict_GET_SIZE(known));
        Py_DECREF(label);
        if (codes[at] < 0) {
            return -1;
        }
    }
    return count;
}

static Py_ssize_t
fill_codes(Codebook *book, PyObject *values, Py_ssize_t count, int32_t *codes)
{
    Py_ssize_t at = 0;
    if (book->labels != NULL) {
        at = fill_plain_codes(book, PySequence_Fast_ITEMS(values), count, codes);
        if (at < 0 || at == count || PyTuple_CheckExact(PySequence_Fast_GET_ITEM(values, at))) {
            return at;
        }
    }
    if (leave_table(book) < 0) {
        return -1;
    }
    PyObject *known = Py_NewRef(book->others);
    at = fill_any_codes(known, values, at, count, codes);
    Py_DECREF(known);
    return at;
}

static PyObject *
codebook_codes(PyObject *self, PyObject *values)
{
    PyObject *found = NULL;
    Py_buffer view;
    values = PySequence_Fast(values, "labels are no list");
    if (values == NULL) {
        return NULL;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(values);
    PyObject *codes = new_array(PyType_GetModuleState(Py_TYPE(self)), CODES.format, CODES.width, count, &view);
    if (codes != NULL) {
        Py_ssize_t filled = fill_codes((Codebook *)self, values, count, view.buf);
        PyBuffer_Release(&view);
        found = filled < 0 ? NULL : Py_NewRef(filled < count ? Py_None : codes);
        Py_DECREF(codes);
    }
    Py_DECREF(values);
    return found;
}

static PyObject *
codebook_labels(PyObject *self, void *Py_UNUSED(closure))
{
    Codebook *book = (Codebook *)self;
    return book->labels == NULL ? PyDict_Keys(book->others) : PyList_GetSlice(book->labels, 0, PY_SSIZE_T_MAX);
}

static Py_ssize_t
codebook_size(PyObject *self)
{
    Codebook *book = (Codebook *)self;
    return book->labels == NULL ? PyDict_GET_SIZE(book->others) : PyList_GET_SIZE(book->labels);
}

static PyObject *
codebook_reduce(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    PyObject *labels = codebook_labels(self, NULL);
    return labels == NULL ? NULL : Py_BuildValue("O(N)", (PyObject *)Py_TYPE(self), labels);
}

static PyObject *
codebook_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"labels", NULL};
    PyObject *labels = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:Codebook", names, &labels)) {
        return NULL;
    }
    Codebook *book = (Codebook *)type->tp_alloc(type, 0);
    if (book == NULL || (book->labels = PyList_New(0)) == NULL || (book->others = PyDict_New()) == NULL
        || more_slots(book) < 0) {
        Py_XDECREF(book);
        return NULL;
    }
    PyObject *codes = labels == NULL ? Py_NewRef(Py_None) : codebook_codes((PyObject *)book, labels);
    if (codes == NULL) {
        Py_CLEAR(book);
    }
    Py_XDECREF(codes);
    return (PyObject *)book;
}

static int
codebook_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Codebook *)self)->labels);
    Py_VISIT(((Codebook *)self)->others);
    return 0;
}

static void
codebook_free(PyObject *self)
{
    Codebook *book = (Codebook *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(book->labels);
    Py_CLEAR(book->others);
    PyMem_Free(book->slots);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef codebook_methods[] = {
    {"codes", codebook_codes, METH_O, "The code of each label, None as soon as one is a tuple; new ones are added."},
    {"__reduce__", codebook_reduce, METH_NOARGS, "How to make it again."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef codebook_members[] = {
    {"labels", codebook_labels, NULL, "The different labels by code, in order of first appearance.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot codebook_slots[] = {
    {Py_tp_doc, "Gives each label a code: the number of different ones before it."},
    {Py_tp_new, codebook_new},
    {Py_tp_methods, codebook_methods},
    {Py_tp_getset, codebook_members},
    {Py_sq_length, codebook_size},
    {Py_tp_traverse, codebook_traverse},
    {Py_tp_dealloc, codebook_free},
    {0, NULL},
};

static PyType_Spec codebook_spec = {
    .name = "fullmarks.text._speed.Codebook",
    .basicsize = sizeof(Codebook),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = codebook_slots,
};

#endif
