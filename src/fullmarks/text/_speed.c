/* The compiled text kernel: the functions of squad.py, overlap.py, sets.py, bleu.py, relaxed.py, containment.py,
   number_readings.py, yes_no.py, choice_readings.py, votes.py, meteor.py, porter.py, folds.py, codes.py and hashes.py, over
   whole lists.

   Invariant: the same doubles as the Python functions for the same texts, and the same errors for anything else. */

#include "_speed_bleu.h"
#include "_speed_choice.h"
#include "_speed_codes.h"
#include "_speed_fold.h"
#include "_speed_hash.h"
#include "_speed_inputs.h"
#include "_speed_meteor.h"
#include "_speed_ngrams.h"
#include "_speed_overlap.h"
#include "_speed_porter.h"
#include "_speed_sets.h"
#include "_speed_relaxed.h"
#include "_speed_short.h"
#include "_speed_squad.h"
#include "_speed_text.h"
#include "_speed_votes.h"
#include "_speed_vqa.h"
#include "_speed_yes_no.h"

/* ---- the arguments ------------------------------------------------------------------------------------------ */

static int
is_list(PyObject *object)
{
    return PyList_Check(object) || PyTuple_Check(object);
}

static int
check_lists(PyObject *predictions, PyObject *references)
{
    PyObject *wrong = !is_list(predictions) ? predictions : !is_list(references) ? references : NULL;
    if (wrong != NULL) {
        PyErr_Format(PyExc_TypeError, "%s are of type %.100s, expected a list",
                     wrong == predictions ? "predictions" : "references", Py_TYPE(wrong)->tp_name);
        return -1;
    }
    if (PySequence_Fast_GET_SIZE(predictions) != PySequence_Fast_GET_SIZE(references)) {
        PyErr_Format(PyExc_ValueError, "%zd predictions for %zd lists of references",
                     PySequence_Fast_GET_SIZE(predictions), PySequence_Fast_GET_SIZE(references));
        return -1;
    }
    return 0;
}

/* Another list that goes with the predictions. */
static int
check_beside(PyObject *predictions, PyObject *others, const char *name)
{
    if (!is_list(predictions) || !is_list(others)) {
        PyErr_Format(PyExc_TypeError, "predictions and %s are expected to be lists", name);
        return -1;
    }
    if (PySequence_Fast_GET_SIZE(predictions) != PySequence_Fast_GET_SIZE(others)) {
        PyErr_Format(PyExc_ValueError, "%zd predictions for %zd %s", PySequence_Fast_GET_SIZE(predictions),
                     PySequence_Fast_GET_SIZE(others), name);
        return -1;
    }
    return 0;
}

static int
check_example(PyObject *prediction, PyObject *golds, Py_ssize_t index)
{
    if (!is_string(prediction)) {
        PyErr_Format(PyExc_TypeError, "prediction %zd is of type %.100s, expected str", index,
                     Py_TYPE(prediction)->tp_name);
        return -1;
    }
    if (!is_list(golds)) {
        PyErr_Format(PyExc_TypeError, "references of example %zd are of type %.100s, expected a list", index,
                     Py_TYPE(golds)->tp_name);
        return -1;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds); i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, i);
        if (!is_string(gold)) {
            PyErr_Format(PyExc_TypeError, "reference %zd of example %zd is of type %.100s, expected str", i, index,
                         Py_TYPE(gold)->tp_name);
            return -1;
        }
    }
    return 0;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* What the work on one list needs from example to example. */
typedef struct {
    const State *state;
    Text prediction, reference, spare;
    Ngrams ngrams;
    double both_empty;
    int drop_empty;
    size_t max_order;
    int is_pope;
    Tokeniser *tokeniser; /* borrowed from the caller's arguments */
    Text whole;
    double *pairs;
    size_t pair_count, pair_capacity;
    double tolerance;
    int is_swapped; /* whether the tolerance is relative to the prediction */
    int is_short; /* whether the answers are compared without being cut into tokens */
    int how;      /* of the words that say how short answers are compared, the place of the one that was given */
    Py_ssize_t at; /* the place of the example */
    PyObject *choices, *read; /* lists of options and what reads hard responses, borrowed from the caller's arguments */
    PyObject *kinds, *formulas, *judge; /* of texts, the kind that is formulas, and what judges texts beyond ASCII */
    Votes *votes;
    Tokeniser *gold_tokeniser; /* borrowed too, where references are cut otherwise than predictions */
    Aligner aligner;
} Work;

typedef int (*RowFunction)(Work *, PyObject *prediction, PyObject *golds, double *row);

static void
work_free(Work *work)
{
    text_free(&work->prediction);
    text_free(&work->reference);
    text_free(&work->spare);
    text_free(&work->whole);
    PyMem_Free(work->pairs);
    ngrams_free(&work->ngrams);
    aligner_free(&work->aligner);
}

enum { AHEAD = 4, LINE = 64, FETCHED = 5 };

/* Asks for what the examples ahead will need: short answers wait longer for their texts than they are looked at. */
static inline void
fetch_ahead(PyObject *predictions, PyObject *references, Py_ssize_t i, Py_ssize_t count)
{
    if (i + 3 * AHEAD < count) {
        FETCH(PySequence_Fast_GET_ITEM(references, i + 3 * AHEAD));
    }
    if (i + 2 * AHEAD < count) {
        PyObject *golds = PySequence_Fast_GET_ITEM(references, i + 2 * AHEAD);
        if (is_list(golds)) {
            FETCH(PySequence_Fast_ITEMS(golds));
        }
    }
    if (i + AHEAD < count) {
        const char *text = (const char *)PySequence_Fast_GET_ITEM(predictions, i + AHEAD);
        for (int line = 0; line < FETCHED; line++) {
            FETCH(text + line * LINE);
        }
        PyObject *golds = PySequence_Fast_GET_ITEM(references, i + AHEAD);
        for (Py_ssize_t k = 0; is_list(golds) && k < PySequence_Fast_GET_SIZE(golds); k++) {
            text = (const char *)PySequence_Fast_GET_ITEM(golds, k);
            int lines = PySequence_Fast_GET_SIZE(golds) == 1 ? FETCHED : 1;
            for (int line = 0; line < lines; line++) {
                FETCH(text + line * LINE);
            }
        }
    }
}

/* The examples one after the other, into zeroed rows; both lists may change while a signal handler runs. */
static int
fill_rows(Work *work, PyObject *predictions, PyObject *references, RowFunction row_function, Py_ssize_t count,
          Py_ssize_t width, double *rows)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if ((i & 0xFFFF) == 0xFFFF && PyErr_CheckSignals() < 0) {
            return -1;
        }
        if (i >= PySequence_Fast_GET_SIZE(predictions) || i >= PySequence_Fast_GET_SIZE(references)) {
            PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was scored");
            return -1;
        }
        if (work->is_short) {
            Py_ssize_t both = Py_MIN(PySequence_Fast_GET_SIZE(predictions), PySequence_Fast_GET_SIZE(references));
            fetch_ahead(predictions, references, i, both);
        }
        work->at = i;
        PyObject *prediction = PySequence_Fast_GET_ITEM(predictions, i);
        PyObject *golds = PySequence_Fast_GET_ITEM(references, i);
#ifdef __GNUC__ /* short texts cost less than the wait for them */
        if (i + 8 < PySequence_Fast_GET_SIZE(predictions) && i + 8 < PySequence_Fast_GET_SIZE(references)) {
            __builtin_prefetch(PySequence_Fast_GET_ITEM(predictions, i + 8));
            __builtin_prefetch(PySequence_Fast_GET_ITEM(references, i + 8));
        }
#endif
        Py_INCREF(prediction);
        Py_INCREF(golds);
        int failed = check_example(prediction, golds, i) < 0
                     || row_function(work, prediction, golds, rows + i * width) < 0;
        Py_DECREF(prediction);
        Py_DECREF(golds);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

/* An array of doubles, `width` for each example. */
static PyObject *
score_rows(Work *work, PyObject *predictions, PyObject *references, RowFunction row_function, Py_ssize_t width)
{
    if (check_lists(predictions, references) < 0) {
        return NULL;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(predictions);
    if (width > 0 && count > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(double) / width) {
        return PyErr_NoMemory();
    }
    PyObject *rows = NULL;
    PyObject *zeros = PyBytes_FromStringAndSize(NULL, width * (Py_ssize_t)sizeof(double));
    if (zeros == NULL) {
        return NULL;
    }
    memset(PyBytes_AS_STRING(zeros), 0, (size_t)PyBytes_GET_SIZE(zeros));
    PyObject *row = PyObject_CallFunction(work->state->array_type, "sO", "d", zeros);
    Py_DECREF(zeros);
    PyObject *result = row == NULL ? NULL : PySequence_Repeat(row, count);
    Py_XDECREF(row);
    if (result == NULL) {
        return NULL;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(result, &view, PyBUF_WRITABLE) == 0) {
        if (fill_rows(work, predictions, references, row_function, count, width, view.buf) == 0) {
            rows = Py_NewRef(result);
        }
        PyBuffer_Release(&view);
    }
    Py_DECREF(result);
    return rows;
}

static int
squad_row_of_nothing(Work *work, PyObject *golds, double *row)
{
    int right = work->drop_empty;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds) && right == work->drop_empty; i++) {
        int tokens = has_tokens(work->state, PySequence_Fast_GET_ITEM(golds, i), &work->reference);
        if (tokens < 0) {
            return -1;
        }
        right = !tokens;
    }
    row[0] = right;
    row[1] = right ? work->both_empty : 0.0;
    return 0;
}

/* The prediction has tokens, so a reference without any adds nothing. */
static int
squad_row_of_tokens(Work *work, PyObject *golds, double *row)
{
    PyObject *before = NULL;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds); i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, i);
        if (before != NULL && strings_equal(before, gold)) {
            continue;
        }
        before = gold;
        if (squad_tokens(work->state, gold, &work->reference) < 0) {
            return -1;
        }
        if (same_tokens(&work->prediction, &work->reference)) {
            row[0] = row[1] = 1.0;
            return 0;
        }
        double f1 = token_f1(&work->prediction, &work->reference, 0.0, &work->ngrams);
        if (f1 < 0.0) {
            return -1;
        }
        row[1] = f1 > row[1] ? f1 : row[1];
    }
    return 0;
}

static int
squad_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds); i++) {
        if (strings_equal(prediction, PySequence_Fast_GET_ITEM(golds, i))) {
            int tokens = has_tokens(work->state, prediction, &work->prediction);
            if (tokens > 0) {
                row[0] = row[1] = 1.0;
            }
            return tokens ? (tokens < 0 ? -1 : 0) : squad_row_of_nothing(work, golds, row);
        }
    }
    if (squad_tokens(work->state, prediction, &work->prediction) < 0) {
        return -1;
    }
    return work->prediction.count ? squad_row_of_tokens(work, golds, row) : squad_row_of_nothing(work, golds, row);
}

/* Each number the best over the references. The recipe may run any code, so `golds` becomes a tuple that nobody can
   change, and is checked again as such. */
static int
overlap_row_of_tuple(Work *work, PyObject *golds, double *row)
{
    Py_ssize_t counted = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(golds); i++) {
        double scores[4];
        PyObject *gold = PyTuple_GET_ITEM(golds, i);
        if (i > 0 && strings_equal(PyTuple_GET_ITEM(golds, i - 1), gold)) {
            continue;
        }
        if (recipe_tokens(work->tokeniser, gold, &work->reference) < 0) {
            return -1;
        }
        if (work->drop_empty && work->reference.size == 0) {
            continue;
        }
        if (judge(&work->prediction, &work->reference, work->both_empty, &work->whole, &work->ngrams, scores) < 0) {
            return -1;
        }
        for (int column = 0; column < 4; column++) {
            row[column] = counted == 0 || scores[column] > row[column] ? scores[column] : row[column];
        }
        counted++;
        if (row[0] == 1.0 && row[1] == 1.0) {
            row[2] = row[3] = 1.0;
            return 0;
        }
    }
    if (work->drop_empty && counted == 0) {
        work->reference.count = work->reference.size = 0;
        return judge(&work->prediction, &work->reference, work->both_empty, &work->whole, &work->ngrams, row);
    }
    return 0;
}

static int
overlap_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    PyObject *fixed = PySequence_Tuple(golds);
    int failed = fixed == NULL || check_example(prediction, fixed, 0) < 0
                 || recipe_tokens(work->tokeniser, prediction, &work->prediction) < 0
                 || overlap_row_of_tuple(work, fixed, row) < 0;
    Py_XDECREF(fixed);
    return failed ? -1 : 0;
}

/* Adds four numbers for each reference to the pairs; rows have no width. */
static int
overlap_pairs_of_tuple(Work *work, PyObject *golds)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(golds); i++) {
        if (reserve(&work->pairs, &work->pair_capacity, work->pair_count + 4, sizeof(double)) < 0
            || recipe_tokens(work->tokeniser, PyTuple_GET_ITEM(golds, i), &work->reference) < 0
            || judge(&work->prediction, &work->reference, work->both_empty, &work->whole, &work->ngrams,
                     work->pairs + work->pair_count) < 0) {
            return -1;
        }
        work->pair_count += 4;
    }
    return 0;
}

static int
overlap_pairs(Work *work, PyObject *prediction, PyObject *golds, double *Py_UNUSED(row))
{
    PyObject *fixed = PySequence_Tuple(golds);
    int failed = fixed == NULL || check_example(prediction, fixed, 0) < 0
                 || recipe_tokens(work->tokeniser, prediction, &work->prediction) < 0
                 || overlap_pairs_of_tuple(work, fixed) < 0;
    Py_XDECREF(fixed);
    return failed ? -1 : 0;
}

/* The best over the references, which are a tuple for the reason given above. */
static int
meteor_row_of_tuple(Work *work, PyObject *golds, double *row)
{
    if (PyTuple_GET_SIZE(golds) == 0) {
        PyErr_Format(PyExc_ValueError, "example %zd has no reference, expected at least one", work->at);
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(golds); i++) {
        PyObject *gold = PyTuple_GET_ITEM(golds, i);
        double value;
        if (i > 0 && strings_equal(PyTuple_GET_ITEM(golds, i - 1), gold)) {
            continue;
        }
        if (recipe_tokens(work->gold_tokeniser, gold, &work->reference) < 0
            || meteor_score(&work->aligner, &work->reference, &value) < 0) {
            return -1;
        }
        row[0] = i == 0 || value > row[0] ? value : row[0];
    }
    return 0;
}

static int
meteor_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    PyObject *fixed = PySequence_Tuple(golds);
    int failed = fixed == NULL || check_example(prediction, fixed, work->at) < 0
                 || recipe_tokens(work->tokeniser, prediction, &work->prediction) < 0
                 || aligner_start(&work->aligner, &work->prediction) < 0 || meteor_row_of_tuple(work, fixed, row) < 0;
    Py_XDECREF(fixed);
    return failed ? -1 : 0;
}

static int
bleu_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    size_t order = work->max_order, shortest = 0;
    if (tokenize_13a(prediction, &work->prediction, &work->spare) < 0
        || ngrams_start(&work->ngrams, &work->prediction, order) < 0) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds); i++) {
        if (tokenize_13a(PySequence_Fast_GET_ITEM(golds, i), &work->reference, &work->spare) < 0
            || ngrams_add_reference(&work->ngrams, &work->reference) < 0) {
            return -1;
        }
        shortest = i == 0 || work->reference.count < shortest ? work->reference.count : shortest;
    }
    ngrams_matches(&work->ngrams, row);
    for (size_t i = 0; i < order && i < work->prediction.count; i++) {
        row[order + i] = (double)(work->prediction.count - i);
    }
    row[2 * order] = (double)work->prediction.count;
    row[2 * order + 1] = (double)shortest;
    return 0;
}

/* The BLEU of the numbered prediction against one reference alone; -1 with an exception set on failure. */
static double
bleu_of_pair(Work *work, PyObject *gold)
{
    double matches[MOST_ORDERS] = {0.0};
    if (tokenize_13a(gold, &work->reference, &work->spare) < 0
        || ngrams_add_only_reference(&work->ngrams, &work->reference) < 0) {
        return -1.0;
    }
    ngrams_matches(&work->ngrams, matches);
    return bleu_score(matches, work->prediction.count, work->reference.count, work->max_order);
}

/* Adds the BLEU against each reference to the pairs; rows have no width. A prediction with fewer tokens than the highest
   order has none of its n-grams, so its scores are 0 whatever the references are. */
static int
bleu_pairs(Work *work, PyObject *prediction, PyObject *golds, double *Py_UNUSED(row))
{
    size_t count = (size_t)PySequence_Fast_GET_SIZE(golds);
    if (count == 0) {
        return 0;
    }
    if (reserve(&work->pairs, &work->pair_capacity, work->pair_count + count, sizeof(double)) < 0
        || tokenize_13a(prediction, &work->prediction, &work->spare) < 0) {
        return -1;
    }
    int is_long = work->prediction.count >= work->max_order;
    if (is_long && ngrams_start(&work->ngrams, &work->prediction, work->max_order) < 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, (Py_ssize_t)i);
        double *score = work->pairs + work->pair_count + i;
        if (i > 0 && strings_equal(PySequence_Fast_GET_ITEM(golds, (Py_ssize_t)i - 1), gold)) {
            *score = score[-1];
        }
        else if (!is_long) {
            *score = 0.0;
        }
        else if ((*score = bleu_of_pair(work, gold)) < 0.0) {
            return -1;
        }
    }
    work->pair_count += count;
    return 0;
}

/* Spelling a text may run any code, so `golds` is looked at anew each time. */
static int
relaxed_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    Relaxed ours, theirs;
    if (relaxed_number(prediction, &ours) < 0) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds) && row[0] == 0.0; i++) {
        PyObject *gold = Py_NewRef(PySequence_Fast_GET_ITEM(golds, i));
        int right = 0;
        if (PyUnicode_Check(gold)) {
            right = relaxed_number(gold, &theirs);
        }
        if (right == 0 && PyUnicode_Check(gold)) {
            right = work->is_swapped ? is_relaxed_right(gold, &theirs, prediction, &ours, work->tolerance)
                                     : is_relaxed_right(prediction, &ours, gold, &theirs, work->tolerance);
        }
        Py_DECREF(gold);
        if (right < 0) {
            return -1;
        }
        row[0] = right;
    }
    return 0;
}

/* A reference that is not ASCII may run any code where it is spelled, so `golds` is looked at anew each time. */
static int
contains_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    int is_ascii = PyUnicode_IS_ASCII(prediction), found = 0;
    const unsigned char *copy = is_ascii ? copy_ascii(prediction, &work->prediction, work->how != CASE_KEEP) : NULL;
    if (is_ascii && copy == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds) && !found; i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, i);
        if (!is_string(gold)) {
            continue;
        }
        if (is_ascii && PyUnicode_IS_ASCII(gold)) {
            found = ascii_contains(PyUnicode_DATA(prediction), copy, work->prediction.size, PyUnicode_DATA(gold),
                                   (size_t)PyUnicode_GET_LENGTH(gold), work->how);
            continue;
        }
        Py_INCREF(gold);
        found = string_contains(prediction, gold, work->how);
        Py_DECREF(gold);
    }
    row[0] = found;
    return found < 0 ? -1 : 0;
}

static int
are_ascii(PyObject *prediction, PyObject *golds)
{
    int are = PyUnicode_IS_ASCII(prediction);
    for (Py_ssize_t i = 0; are && i < PySequence_Fast_GET_SIZE(golds); i++) {
        are = PyUnicode_IS_ASCII(PySequence_Fast_GET_ITEM(golds, i));
    }
    return are;
}

/* Whether the cleaned prediction holds a cleaned reference, all of them ASCII; -1 on failure. */
static int
holds_ascii(Work *work, PyObject *prediction, PyObject *golds, int is_formula)
{
    int found = copy_cleaned(prediction, &work->prediction, is_formula);
    for (Py_ssize_t i = 0; found == 0 && i < PySequence_Fast_GET_SIZE(golds); i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, i);
        if (i > 0 && strings_equal(PySequence_Fast_GET_ITEM(golds, i - 1), gold)) {
            continue;
        }
        found = holds_cleaned(&work->prediction, gold, &work->reference, is_formula);
    }
    return found;
}

/* The same for any texts; NOT_TOLD where the rule itself must say. */
static int
holds_wide(Work *work, PyObject *prediction, PyObject *golds, int is_formula)
{
    int copied = copy_cleaned_wide(prediction, &work->prediction, is_formula), found = 0;
    for (Py_ssize_t i = 0; copied > 0 && !found && i < PySequence_Fast_GET_SIZE(golds); i++) {
        copied = copy_cleaned_wide(PySequence_Fast_GET_ITEM(golds, i), &work->reference, is_formula);
        found = copied > 0 && holds_cleaned_wide(&work->prediction, &work->reference);
    }
    return copied > 0 ? found : copied == 0 ? NOT_TOLD : -1;
}

static int
cleaned_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    if (work->at >= PySequence_Fast_GET_SIZE(work->kinds)) {
        PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was scored");
        return -1;
    }
    PyObject *kind = PySequence_Fast_GET_ITEM(work->kinds, work->at);
    int is_formula = kind != Py_None && PyUnicode_CheckExact(kind) && strings_equal(kind, work->formulas);
    int is_right = kind != Py_None && !PyUnicode_CheckExact(kind) ? NOT_TOLD
                   : are_ascii(prediction, golds) ? holds_ascii(work, prediction, golds, is_formula)
                                                  : holds_wide(work, prediction, golds, is_formula);
    if (is_right == NOT_TOLD) {
        PyObject *judged = PyObject_CallFunctionObjArgs(work->judge, prediction, golds, kind, NULL);
        is_right = judged == NULL ? -1 : PyObject_IsTrue(judged);
        Py_XDECREF(judged);
    }
    row[0] = is_right;
    return is_right < 0 ? -1 : 0;
}

static int
number_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    Piece number;
    if (predicted_number(prediction, work->how, &number)) {
        for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds) && row[0] == 0.0; i++) {
            row[0] = is_same_number(&number, PySequence_Fast_GET_ITEM(golds, i), work->how);
        }
    }
    return 0;
}

/* Which of the six columns is 1: right and wrong yes, right and wrong no, then answers that are neither. */
static int
yes_no_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    static const int columns[2][3] = {{1, 2, 5}, {0, 3, 4}};
    if (PySequence_Fast_GET_SIZE(golds) == 0) {
        PyErr_SetString(PyExc_ValueError, "expected yes or no as the right answer, found none");
        return -1;
    }
    int right = is_yes(PySequence_Fast_GET_ITEM(golds, 0), work->is_pope);
    if (right < 0) {
        return -1;
    }
    row[columns[right][work->is_pope ? pope_answer(prediction) : mme_answer(prediction)]] = 1.0;
    return 0;
}

/* A new reference to the letter of one response, or to None; `read` is asked where the rule itself must say. */
static PyObject *
choice_letter(PyObject *response, PyObject *choices, int is_llava, PyObject *read, Text *copy)
{
    if (!is_string(response)) {
        PyErr_Format(PyExc_TypeError, "a prediction is of type %.100s, expected str", Py_TYPE(response)->tp_name);
        return NULL;
    }
    int found = choice_of(response, choices, is_llava, copy);
    if (found == NOT_TOLD) {
        return PyObject_CallFunctionObjArgs(read, response, choices, NULL);
    }
    if (found == CHOICE_FAILED) {
        return NULL;
    }
    return found == NO_CHOICE ? Py_NewRef(Py_None) : PyUnicode_FromOrdinal('A' + found);
}

/* Whether the letter of a response is a reference; `read` may run any code, so `golds` is looked at after it. */
static int
choice_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    if (work->at >= PySequence_Fast_GET_SIZE(work->choices)) {
        PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was scored");
        return -1;
    }
    PyObject *choices = Py_NewRef(PySequence_Fast_GET_ITEM(work->choices, work->at));
    PyObject *letter = choice_letter(prediction, choices, work->how, work->read, &work->prediction);
    Py_DECREF(choices);
    if (letter == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; PyUnicode_Check(letter) && i < PySequence_Fast_GET_SIZE(golds) && row[0] == 0.0; i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, i);
        row[0] = is_string(gold) && strings_equal(letter, gold);
    }
    Py_DECREF(letter);
    return 0;
}

/* Whether an annotator agrees, the answers being compared as they stand or by their forms; -1 on failure. */
static int
agrees_with(Work *work, PyObject *gold, PyObject *answer)
{
    if (work->votes->form == NULL || work->votes->normalised == FORM_PREDICTION) {
        return strings_equal(gold, answer);
    }
    Py_INCREF(gold);
    PyObject *form = form_of(work->state, work->votes, gold);
    Py_DECREF(gold);
    return form == NULL ? -1 : form == answer;
}

/* Which annotators agree. Only a form that is not VQA's may run any code, so `golds` is looked at anew each time. */
static int
count_agreeing(Work *work, PyObject *prediction, PyObject *golds)
{
    Votes *votes = work->votes;
    PyObject *answer = votes->form == NULL ? prediction : form_of(work->state, votes, prediction);
    if (answer == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(golds); i++) {
        PyObject *gold = PySequence_Fast_GET_ITEM(golds, i);
        if (!is_string(gold)) {
            PyErr_SetString(PyExc_RuntimeError, "a list changed while it was scored");
            return -1;
        }
        int is_repeated = votes->is_vqa && i > 0 && strings_equal(PySequence_Fast_GET_ITEM(golds, i - 1), gold);
        int agrees = is_repeated ? votes->agrees[i - 1] : agrees_with(work, gold, answer);
        if (agrees < 0 || reserve(&votes->agrees, &votes->capacity, votes->count, 1) < 0) {
            return -1;
        }
        votes->agrees[votes->count++] = (char)agrees;
        votes->agreeing += (size_t)agrees;
    }
    return 0;
}

/* All agree or nobody does: with annotators who all give the same answer, texts are compared without their forms. */
static int
count_unanimous(Votes *votes, PyObject *prediction, PyObject *golds)
{
    votes->count = (size_t)PySequence_Fast_GET_SIZE(golds);
    if (reserve(&votes->agrees, &votes->capacity, votes->count, 1) < 0) {
        return -1;
    }
    int agree = votes->count > 0 && same_trimmed(prediction, PySequence_Fast_GET_ITEM(golds, 0));
    memset(votes->agrees, agree, votes->count);
    votes->agreeing = agree ? votes->count : 0;
    return 0;
}

/* The kinds of an example's records; NULL where no two are equal, with an error set where they do not fit. */
static PyObject *
kinds_at(const Work *work)
{
    PyObject *all = work->votes->kinds;
    if (all == NULL || work->at >= PySequence_Fast_GET_SIZE(all)) {
        return NULL;
    }
    PyObject *kinds = PySequence_Fast_GET_ITEM(all, work->at);
    if (kinds == Py_None) {
        return NULL;
    }
    if (!is_list(kinds) || (size_t)PySequence_Fast_GET_SIZE(kinds) != work->votes->count) {
        PyErr_Format(PyExc_ValueError, "kinds of example %zd are not those of its %zu annotators", work->at,
                     work->votes->count);
        return NULL;
    }
    return kinds;
}

static int
vote_row(Work *work, PyObject *prediction, PyObject *golds, double *row)
{
    Votes *votes = work->votes;
    votes->count = votes->agreeing = 0;
    int is_unanimous = votes->normalised == FORM_UNLESS_EQUAL && are_same_trimmed(golds);
    if ((is_unanimous ? count_unanimous(votes, prediction, golds) : count_agreeing(work, prediction, golds)) < 0) {
        return -1;
    }
    PyObject *kinds = kinds_at(work);
    if (kinds != NULL && votes->agreeing > 0) {
        return mean_vote_of_records(votes, kinds, row);
    }
    row[0] = mean_vote(votes);
    return PyErr_Occurred() ? -1 : 0;
}

/* ---- the module --------------------------------------------------------------------------------------------- */

static PyObject *
squad_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "both_empty", "drop_empty_references", NULL};
    PyObject *predictions, *references;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$dp:squad_rows", names, &predictions, &references,
                                     &work.both_empty, &work.drop_empty)) {
        return NULL;
    }
    PyObject *rows = score_rows(&work, predictions, references, squad_row, 2);
    work_free(&work);
    return rows;
}

/* Making tuples may run the garbage collector and with it any code, so `golds` is a tuple, which nobody can change,
   and is checked as such. */
static PyObject *
each_reference(Work *work, PyObject *prediction, PyObject *golds)
{
    if (check_example(prediction, golds, 0) < 0 || squad_tokens(work->state, prediction, &work->prediction) < 0) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(golds);
    PyObject *scores = PyList_New(count);
    for (Py_ssize_t i = 0; scores != NULL && i < count; i++) {
        double f1 = -1.0;
        PyObject *pair = NULL;
        if (squad_tokens(work->state, PyTuple_GET_ITEM(golds, i), &work->reference) == 0) {
            f1 = token_f1(&work->prediction, &work->reference, work->both_empty, &work->ngrams);
        }
        if (!PyErr_Occurred()) {
            pair = Py_BuildValue("(dd)", (double)same_tokens(&work->prediction, &work->reference), f1);
        }
        if (pair == NULL) {
            Py_CLEAR(scores);
        }
        else {
            PyList_SET_ITEM(scores, i, pair);
        }
    }
    return scores;
}

static PyObject *
squad_each_reference(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"prediction", "references", "both_empty", NULL};
    PyObject *prediction, *references;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$d:squad_each_reference", names, &prediction,
                                     &references, &work.both_empty)) {
        return NULL;
    }
    if (check_example(prediction, references, 0) < 0) {
        return NULL;
    }
    PyObject *fixed = PySequence_Tuple(references);
    PyObject *scores = fixed == NULL ? NULL : each_reference(&work, prediction, fixed);
    Py_XDECREF(fixed);
    work_free(&work);
    return scores;
}

/* The two texts that a function on one answer is given; 0 with an exception set for anything else. */
static int
take_pair(PyObject *const *arguments, Py_ssize_t count)
{
    if (count == 2 && is_string(arguments[0]) && is_string(arguments[1])) {
        return 1;
    }
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "expected two texts");
    }
    return 0;
}

static PyObject *
squad_exact(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    Work work = {.state = PyModule_GetState(module)};
    if (!take_pair(arguments, count)) {
        return NULL;
    }
    if (strings_equal(arguments[0], arguments[1])) {
        return PyFloat_FromDouble(1.0);
    }
    int failed = squad_tokens(work.state, arguments[0], &work.prediction) < 0
                 || squad_tokens(work.state, arguments[1], &work.reference) < 0;
    PyObject *exact = failed ? NULL : PyFloat_FromDouble(same_tokens(&work.prediction, &work.reference));
    work_free(&work);
    return exact;
}

static PyObject *
squad_f1(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    Work work = {.state = PyModule_GetState(module)};
    if (!take_pair(arguments, count)) {
        return NULL;
    }
    if (strings_equal(arguments[0], arguments[1])) {
        return PyFloat_FromDouble(1.0);
    }
    double f1 = -1.0;
    if (squad_tokens(work.state, arguments[0], &work.prediction) == 0
        && squad_tokens(work.state, arguments[1], &work.reference) == 0) {
        f1 = token_f1(&work.prediction, &work.reference, 1.0, &work.ngrams);
    }
    work_free(&work);
    return f1 < 0.0 ? NULL : PyFloat_FromDouble(f1);
}

/* Sets how long the longest n-grams are; -1 with an exception set where that is no order of BLEU. */
static int
take_order(Work *work, Py_ssize_t max_order)
{
    if (max_order < 1 || max_order > MOST_ORDERS) {
        PyErr_Format(PyExc_ValueError, "max_order is %zd, expected 1 to %d", max_order, MOST_ORDERS);
        return -1;
    }
    work->max_order = (size_t)max_order;
    return 0;
}

static PyObject *
bleu_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "max_order", NULL};
    PyObject *predictions, *references;
    Py_ssize_t max_order;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$n:bleu_rows", names, &predictions, &references, &max_order)
        || take_order(&work, max_order) < 0) {
        return NULL;
    }
    PyObject *rows = score_rows(&work, predictions, references, bleu_row, 2 * max_order + 2);
    work_free(&work);
    return rows;
}

/* The pairs as an array; uses up `done`, what score_rows gave for rows without a width. */
static PyObject *
array_of_pairs(const Work *work, PyObject *done)
{
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    PyObject *bytes = PyBytes_FromStringAndSize((char *)work->pairs, (Py_ssize_t)(work->pair_count * sizeof(double)));
    PyObject *pairs = bytes == NULL ? NULL : PyObject_CallFunction(work->state->array_type, "sO", "d", bytes);
    Py_XDECREF(bytes);
    return pairs;
}

static PyObject *
bleu_each(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "max_order", NULL};
    PyObject *predictions, *references;
    Py_ssize_t max_order;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$n:bleu_each", names, &predictions, &references, &max_order)
        || take_order(&work, max_order) < 0) {
        return NULL;
    }
    PyObject *pairs = array_of_pairs(&work, score_rows(&work, predictions, references, bleu_pairs, 0));
    work_free(&work);
    return pairs;
}

/* The tokens as a list of str. */
static PyObject *
token_list(const Text *text)
{
    PyObject *tokens = PyList_New((Py_ssize_t)text->count);
    for (size_t i = 0; tokens != NULL && i < text->count; i++) {
        PyObject *token = PyUnicode_DecodeUTF8(text->bytes + text->tokens[i].start,
                                               (Py_ssize_t)text->tokens[i].length, "surrogatepass");
        if (token == NULL) {
            Py_CLEAR(tokens);
        }
        else {
            PyList_SET_ITEM(tokens, (Py_ssize_t)i, token);
        }
    }
    return tokens;
}

static PyObject *
tokens_of(PyObject *module, PyObject *string, int squad)
{
    Work work = {.state = PyModule_GetState(module)};
    if (!is_string(string)) {
        return PyErr_Format(PyExc_TypeError, "text is of type %.100s, expected str", Py_TYPE(string)->tp_name);
    }
    int failed = squad ? squad_tokens(work.state, string, &work.reference)
                       : tokenize_13a(string, &work.reference, &work.spare);
    PyObject *tokens = failed < 0 ? NULL : token_list(&work.reference);
    work_free(&work);
    return tokens;
}

static PyObject *
tokens_squad(PyObject *module, PyObject *string)
{
    return tokens_of(module, string, 1);
}

static PyObject *
tokens_13a(PyObject *module, PyObject *string)
{
    return tokens_of(module, string, 0);
}

static PyObject *
tokeniser_call(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"text", NULL};
    PyObject *string;
    Text text = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O:Tokeniser", names, &string)) {
        return NULL;
    }
    if (!is_string(string)) {
        return PyErr_Format(PyExc_TypeError, "text is of type %.100s, expected str", Py_TYPE(string)->tp_name);
    }
    PyObject *tokens = recipe_tokens((Tokeniser *)self, string, &text) < 0 ? NULL : token_list(&text);
    text_free(&text);
    return tokens;
}

static PyType_Slot tokeniser_slots[] = {
    {Py_tp_doc, "Cuts texts into tokens by the plan of a recipe, or at the white space of its normal form."},
    {Py_tp_new, tokeniser_new},
    {Py_tp_call, tokeniser_call},
    {Py_tp_dealloc, tokeniser_free},
    {Py_tp_traverse, tokeniser_traverse},
    {Py_tp_clear, tokeniser_clear},
    {0, NULL},
};

static PyType_Spec tokeniser_spec = {
    .name = "fullmarks.text._speed.Tokeniser",
    .basicsize = sizeof(Tokeniser),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = tokeniser_slots,
};

/* The arguments that the functions on overlap share; 0 on failure. */
static int
take_overlap(Work *work, PyObject *tokeniser, PyObject *whole_answers)
{
    size_t longest;
    if (tokeniser == NULL) {
        PyErr_SetString(PyExc_TypeError, "a tokeniser is needed");
        return 0;
    }
    if (!PyObject_TypeCheck(tokeniser, (PyTypeObject *)work->state->tokeniser_type)) {
        PyErr_Format(PyExc_TypeError, "tokeniser is of type %.100s, expected Tokeniser", Py_TYPE(tokeniser)->tp_name);
        return 0;
    }
    work->tokeniser = (Tokeniser *)tokeniser;
    return whole_answers == NULL || fill_words(&work->whole, whole_answers, &longest) == 0;
}

static PyObject *
overlap_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references",    "tokeniser", "both_empty", "drop_empty_references",
                            "whole_answers", NULL};
    PyObject *predictions, *references, *tokeniser = NULL, *whole_answers = NULL, *rows = NULL;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$OdpO:overlap_rows", names, &predictions, &references,
                                     &tokeniser, &work.both_empty, &work.drop_empty, &whole_answers)) {
        return NULL;
    }
    if (take_overlap(&work, tokeniser, whole_answers)) {
        rows = score_rows(&work, predictions, references, overlap_row, 4);
    }
    work_free(&work);
    return rows;
}

static PyObject *
overlap_each(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "tokeniser", "both_empty", "whole_answers", NULL};
    PyObject *predictions, *references, *tokeniser = NULL, *whole_answers = NULL, *rows = NULL;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$OdO:overlap_each", names, &predictions, &references,
                                     &tokeniser, &work.both_empty, &whole_answers)) {
        return NULL;
    }
    if (take_overlap(&work, tokeniser, whole_answers)) {
        rows = array_of_pairs(&work, score_rows(&work, predictions, references, overlap_pairs, 0));
    }
    work_free(&work);
    return rows;
}

static PyObject *
porter_stem(PyObject *module, PyObject *word)
{
    State *state = PyModule_GetState(module);
    if (!is_string(word)) {
        return PyErr_Format(PyExc_TypeError, "word is of type %.100s, expected str", Py_TYPE(word)->tp_name);
    }
    PyObject *lower = PyObject_CallOneArg(state->lower, word);
    PyObject *stem = lower == NULL ? NULL : stem_of_lower(word, lower);
    Py_XDECREF(lower);
    return stem;
}

/* A number of the METEOR that was given; -1 on failure. */
static int
take_number(PyObject *meteor, const char *name, double *number)
{
    PyObject *found = PyObject_GetAttrString(meteor, name);
    *number = found == NULL ? -1.0 : PyFloat_AsDouble(found);
    Py_XDECREF(found);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *
meteor_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "meteor", "tokeniser", "gold_tokeniser", NULL};
    PyObject *predictions, *references, *meteor, *rows = NULL;
    Work work = {.state = PyModule_GetState(module)};
    PyTypeObject *type = (PyTypeObject *)work.state->tokeniser_type;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$OO!O!:meteor_rows", names, &predictions, &references,
                                     &meteor, type, &work.tokeniser, type, &work.gold_tokeniser)) {
        return NULL;
    }
    PyObject *stems = PyObject_GetAttrString(meteor, "stems");
    PyObject *known = stems == NULL ? NULL : PyObject_GetAttrString(meteor, "names");
    work.aligner.stems = stems;
    work.aligner.names = known;
    if (known != NULL && take_number(meteor, "alpha", &work.aligner.alpha) == 0
        && take_number(meteor, "beta", &work.aligner.beta) == 0
        && take_number(meteor, "gamma", &work.aligner.gamma) == 0) {
        rows = score_rows(&work, predictions, references, meteor_row, 1);
    }
    Py_XDECREF(stems);
    Py_XDECREF(known);
    work_free(&work);
    return rows;
}

/* The examples one after the other, into zeroed rows of four; both lists may change while items are compared. */
static int
fill_set_rows(PyObject *predictions, PyObject *references, Py_ssize_t count, double both_empty, double *rows)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if ((i & 0xFFFF) == 0xFFFF && PyErr_CheckSignals() < 0) {
            return -1;
        }
        if (i >= PySequence_Fast_GET_SIZE(predictions) || i >= PySequence_Fast_GET_SIZE(references)) {
            PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was scored");
            return -1;
        }
        PyObject *prediction = Py_NewRef(PySequence_Fast_GET_ITEM(predictions, i));
        PyObject *golds = Py_NewRef(PySequence_Fast_GET_ITEM(references, i));
        int failed = set_row(prediction, golds, i, both_empty, rows + 4 * i) < 0;
        Py_DECREF(prediction);
        Py_DECREF(golds);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
set_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "both_empty", NULL};
    PyObject *predictions, *references, *rows = NULL;
    double both_empty = 0.0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$d:set_rows", names, &predictions, &references,
                                     &both_empty)
        || check_lists(predictions, references) < 0) {
        return NULL;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(predictions);
    if (count > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(double) / 4) {
        return PyErr_NoMemory();
    }
    double *values = PyMem_Calloc((size_t)count * 4 + 1, sizeof(double));
    if (values == NULL) {
        return PyErr_NoMemory();
    }
    if (fill_set_rows(predictions, references, count, both_empty, values) == 0) {
        State *state = PyModule_GetState(module);
        PyObject *bytes = PyBytes_FromStringAndSize((char *)values, count * 4 * (Py_ssize_t)sizeof(double));
        rows = bytes == NULL ? NULL : PyObject_CallFunction(state->array_type, "sO", "d", bytes);
        Py_XDECREF(bytes);
    }
    PyMem_Free(values);
    return rows;
}

#define MOST_PARTS 8

/* The rows of joined parts as bytes, or NULL with an error; the views are held by the caller. */
static PyObject *
join_views(const Py_buffer *views, Py_ssize_t count)
{
    const double *parts[MOST_PARTS];
    for (Py_ssize_t i = 0; i < count; i++) {
        if (views[i].format == NULL || strcmp(views[i].format, "d") != 0) {
            PyErr_SetString(PyExc_TypeError, "the rows of a part are not doubles");
            return NULL;
        }
        if (views[i].len != views[0].len || views[i].len % (4 * (Py_ssize_t)sizeof(double)) != 0) {
            PyErr_SetString(PyExc_ValueError, "the parts do not have equally many rows of 4");
            return NULL;
        }
        parts[i] = views[i].buf;
    }
    Py_ssize_t n = views[0].len / (4 * (Py_ssize_t)sizeof(double)), width = 4 * count + 4;
    if (n > PY_SSIZE_T_MAX / (Py_ssize_t)sizeof(double) / width) {
        return PyErr_NoMemory();
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, n * width * (Py_ssize_t)sizeof(double));
    for (Py_ssize_t at = 0; bytes != NULL && at < n; at++) {
        join_row(parts, count, at, (double *)PyBytes_AS_STRING(bytes) + width * at);
    }
    return bytes;
}

static PyObject *
joint_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"parts", NULL};
    PyObject *parts, *bytes = NULL, *rows = NULL;
    Py_buffer views[MOST_PARTS];
    Py_ssize_t held = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!:joint_rows", names, &PyList_Type, &parts)) {
        return NULL;
    }
    Py_ssize_t count = PyList_GET_SIZE(parts);
    if (count < 1 || count > MOST_PARTS) {
        PyErr_Format(PyExc_ValueError, "%zd parts, expected 1 to %d", count, MOST_PARTS);
        return NULL;
    }
    while (held < count && held < PyList_GET_SIZE(parts)
           && PyObject_GetBuffer(PyList_GET_ITEM(parts, held), &views[held], PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0) {
        held++;
    }
    if (held == count) {
        bytes = join_views(views, count);
    }
    else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_RuntimeError, "a list became shorter while it was scored");
    }
    if (bytes != NULL) {
        State *state = PyModule_GetState(module);
        rows = PyObject_CallFunction(state->array_type, "sO", "d", bytes);
        Py_DECREF(bytes);
    }
    while (held > 0) {
        PyBuffer_Release(&views[--held]);
    }
    return rows;
}

static PyObject *
yes_no_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "is_pope", NULL};
    PyObject *predictions, *references;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$p:yes_no_rows", names, &predictions, &references,
                                     &work.is_pope)) {
        return NULL;
    }
    return score_rows(&work, predictions, references, yes_no_row, 6);
}

static PyObject *
relaxed_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "tolerance", "is_swapped", NULL};
    PyObject *predictions, *references;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$dp:relaxed_rows", names, &predictions, &references,
                                     &work.tolerance, &work.is_swapped)) {
        return NULL;
    }
    return score_rows(&work, predictions, references, relaxed_row, 1);
}

static PyObject *
contains_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "case", NULL};
    PyObject *predictions, *references;
    const char *word;
    Work work = {.state = PyModule_GetState(module), .is_short = 1};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$s:contains_rows", names, &predictions, &references, &word)
        || (work.how = named_choice("case", word, CASE_NAMES)) < 0) {
        return NULL;
    }
    PyObject *rows = score_rows(&work, predictions, references, contains_row, 1);
    work_free(&work);
    return rows;
}

static PyObject *
cleaned_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "kinds", "formulas", "judge", NULL};
    PyObject *predictions, *references;
    Work work = {.state = PyModule_GetState(module), .is_short = 1};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO$UO:cleaned_rows", names, &predictions, &references,
                                     &work.kinds, &work.formulas, &work.judge)
        || check_lists(predictions, references) < 0 || check_beside(predictions, work.kinds, "kinds") < 0) {
        return NULL;
    }
    PyObject *rows = score_rows(&work, predictions, references, cleaned_row, 1);
    work_free(&work);
    return rows;
}

static PyObject *
number_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "reading", NULL};
    PyObject *predictions, *references;
    const char *word;
    Work work = {.state = PyModule_GetState(module), .is_short = 1};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$s:number_rows", names, &predictions, &references, &word)
        || (work.how = named_choice("reading", word, READING_NAMES)) < 0) {
        return NULL;
    }
    return score_rows(&work, predictions, references, number_row, 1);
}

static PyObject *
choice_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "choices", "is_llava", "read", NULL};
    PyObject *predictions, *references;
    Work work = {.state = PyModule_GetState(module)};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO$pO:choice_rows", names, &predictions, &references,
                                     &work.choices, &work.how, &work.read)
        || check_beside(predictions, work.choices, "choices") < 0) {
        return NULL;
    }
    PyObject *rows = score_rows(&work, predictions, references, choice_row, 1);
    work_free(&work);
    return rows;
}

/* `read` may run any code, so both lists may change. */
static PyObject *
choice_letters(PyObject *Py_UNUSED(module), PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "choices", "is_llava", "read", NULL};
    PyObject *predictions, *choices, *read;
    int is_llava;
    Text copy = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO$pO:choice_letters", names, &predictions, &choices,
                                     &is_llava, &read)
        || check_beside(predictions, choices, "choices") < 0) {
        return NULL;
    }
    PyObject *letters = PyList_New(0);
    for (Py_ssize_t i = 0; letters != NULL && i < PySequence_Fast_GET_SIZE(predictions) && i < PySequence_Fast_GET_SIZE(choices); i++) {
        PyObject *response = Py_NewRef(PySequence_Fast_GET_ITEM(predictions, i));
        PyObject *each = Py_NewRef(PySequence_Fast_GET_ITEM(choices, i));
        PyObject *letter = choice_letter(response, each, is_llava, read, &copy);
        if (letter == NULL || PyList_Append(letters, letter) < 0) {
            Py_CLEAR(letters);
        }
        Py_XDECREF(letter);
        Py_DECREF(response);
        Py_DECREF(each);
    }
    text_free(&copy);
    return letters;
}

static PyObject *
vqa_form_call(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"text", NULL};
    PyObject *string;
    FormSpace space = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O:VqaForm", names, &string)) {
        return NULL;
    }
    if (!is_string(string)) {
        return PyErr_Format(PyExc_TypeError, "text is of type %.100s, expected str", Py_TYPE(string)->tp_name);
    }
    PyObject *form = vqa_form_of(PyType_GetModuleState(Py_TYPE(self)), (VqaForm *)self, string, &space);
    form_space_free(&space);
    return form;
}

static PyType_Slot vqa_form_slots[] = {
    {Py_tp_doc, "VQA's normal form of a text; EvalAI's, where texts are opened up before."},
    {Py_tp_new, vqa_form_new},
    {Py_tp_call, vqa_form_call},
    {Py_tp_dealloc, vqa_form_free},
    {0, NULL},
};

static PyType_Spec vqa_form_spec = {
    .name = "fullmarks.text._speed.VqaForm",
    .basicsize = sizeof(VqaForm),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = vqa_form_slots,
};

/* Checks what goes with the predictions and makes room for the forms; -1 on failure. */
static int
take_votes(const State *state, Votes *votes, PyObject *predictions, PyObject *form, PyObject *kinds)
{
    votes->form = form == Py_None ? NULL : form;
    votes->is_vqa = votes->form != NULL && PyObject_TypeCheck(form, (PyTypeObject *)state->vqa_form_type);
    votes->kinds = kinds == Py_None ? NULL : kinds;
    if (votes->form != NULL && !PyCallable_Check(form)) {
        PyErr_SetString(PyExc_TypeError, "form must be callable");
        return -1;
    }
    if (votes->kinds != NULL && check_beside(predictions, kinds, "kinds") < 0) {
        return -1;
    }
    votes->by_text = PyDict_New();
    votes->forms = PyDict_New();
    return votes->by_text == NULL || votes->forms == NULL ? -1 : 0;
}

static PyObject *
vote_rows(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"predictions", "references", "kinds", "form", "normalised", "rule", "divisor", "cap", NULL};
    PyObject *predictions, *references, *kinds = Py_None, *form = Py_None, *rows = NULL;
    const char *normalised = NORMALISED_NAMES[FORM_BOTH], *rule = RULE_NAMES[LEAVE_ONE_OUT];
    Votes votes = {.divisor = 3.0, .cap = 1.0};
    Work work = {.state = PyModule_GetState(module), .is_short = 1, .votes = &votes};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O$Ossdd:vote_rows", names, &predictions, &references,
                                     &kinds, &form, &normalised, &rule, &votes.divisor, &votes.cap)
        || (votes.normalised = named_choice("normalised", normalised, NORMALISED_NAMES)) < 0
        || (votes.rule = named_choice("rule", rule, RULE_NAMES)) < 0 || check_lists(predictions, references) < 0) {
        return NULL;
    }
    if (take_votes(work.state, &votes, predictions, form, kinds) == 0) {
        rows = score_rows(&work, predictions, references, vote_row, 1);
    }
    votes_free(&votes);
    return rows;
}

#define FUNCTION(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_VARARGS | METH_KEYWORDS, text}
#define QUICK_FUNCTION(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, text}

static PyMethodDef functions[] = {
    FUNCTION(squad_rows, "Best exact match and best F1 of each example, two doubles a row."),
    FUNCTION(squad_each_reference, "Exact match and F1 of the prediction against each of the references."),
    FUNCTION(overlap_rows, "Best exact match, F1, precision and recall of each example, four doubles a row."),
    FUNCTION(overlap_each, "Exact match, F1, precision and recall against each reference, four doubles a pair."),
    FUNCTION(set_rows, "Exact match, F1, precision and recall of two sets of each example, four doubles a row."),
    FUNCTION(joint_rows, "The rows of parts side by side, four doubles each, then those of all parts together."),
    FUNCTION(meteor_rows, "METEOR of each example against its best reference, a double a row."),
    FUNCTION(bleu_rows, "BLEU's statistics of each example, 2 * max_order + 2 doubles a row."),
    FUNCTION(bleu_each, "BLEU of each prediction against each of its references alone, a double a pair."),
    FUNCTION(relaxed_rows, "Whether each prediction is right by relaxed correctness, a double a row."),
    FUNCTION(contains_rows, "Whether each prediction contains one of its references, a double a row."),
    FUNCTION(cleaned_rows, "Whether each prediction contains a reference, both cleaned as OCRBench does."),
    FUNCTION(number_rows, "Whether each prediction ends in the number of one of its references, a double a row."),
    FUNCTION(yes_no_rows, "What each answer to a yes-or-no question counts as, six doubles a row."),
    FUNCTION(choice_rows, "Whether the letter in each response is one of its references, a double a row."),
    FUNCTION(choice_letters, "The letter of an option in each response, None where there is none."),
    FUNCTION(vote_rows, "How far annotators agree with each prediction, a double a row."),
    FUNCTION(fold, "The sum of each column of rows of `width` values, added to the start in row order."),
    FUNCTION(column_of, "One column of rows of `width` values, as a list."),
    FUNCTION(mapped_codes, "What the table has at each code."),
    FUNCTION(count_by, "Adds one to the count at each place."),
    FUNCTION(fold_by, "Adds each row of `width` values to the sums at its place, in row order."),
    FUNCTION(id_hashes, "The hash of each id, the same in every process and on every machine."),
    QUICK_FUNCTION(squad_exact, "Exact match of one answer against one reference."),
    QUICK_FUNCTION(squad_f1, "Token F1 of one answer against one reference, 1.0 where neither has a token."),
    QUICK_FUNCTION(text_lists, "The references as lists of texts, or None where something is no text."),
    {"tokens_squad", tokens_squad, METH_O, "The words of the text as SQuAD normalises it."},
    {"tokens_13a", tokens_13a, METH_O, "The tokens of mteval-v13a."},
    {"porter_stem", porter_stem, METH_O, "The stem of a word, in lower case."},
    {NULL, NULL, 0, NULL},
};

static int
module_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    fill_squad_class();
    PyObject *array = PyImport_ImportModule("array");
    if (array == NULL) {
        return -1;
    }
    state->array_type = PyObject_GetAttrString(array, "array");
    Py_DECREF(array);
    if (state->array_type == NULL) {
        return -1;
    }
    state->lower = PyObject_GetAttrString((PyObject *)&PyUnicode_Type, "lower");
    if (state->lower == NULL) {
        return -1;
    }
    state->tokeniser_type = PyType_FromModuleAndSpec(module, &tokeniser_spec, NULL);
    if (state->tokeniser_type == NULL || PyModule_AddType(module, (PyTypeObject *)state->tokeniser_type) < 0) {
        return -1;
    }
    state->vqa_form_type = PyType_FromModuleAndSpec(module, &vqa_form_spec, NULL);
    if (state->vqa_form_type == NULL || PyModule_AddType(module, (PyTypeObject *)state->vqa_form_type) < 0) {
        return -1;
    }
    PyObject *codebook_type = PyType_FromModuleAndSpec(module, &codebook_spec, NULL);
    int failed = codebook_type == NULL || PyModule_AddType(module, (PyTypeObject *)codebook_type) < 0;
    Py_XDECREF(codebook_type);
    return failed ? -1 : 0;
}

static int
module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->array_type);
    Py_VISIT(state->lower);
    Py_VISIT(state->tokeniser_type);
    Py_VISIT(state->vqa_form_type);
    return 0;
}

static int
module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->array_type);
    Py_CLEAR(state->lower);
    Py_CLEAR(state->tokeniser_type);
    Py_CLEAR(state->vqa_form_type);
    return 0;
}

static void
module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_speed",
    .m_doc = "The compiled text kernel.",
    .m_size = sizeof(State),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC
PyInit__speed(void)
{
    return PyModuleDef_Init(&definition);
}
