/* Matches of a prediction's n-grams in its references, each clipped by the reference that has most of it.

   Invariant: an n-gram is a number, given by the number of its first n - 1 tokens and the number of its last token;
   only n-grams of the prediction have one, all others are NONE. Time is linear in the tokens times the orders. */

#ifndef FULLMARKS_SPEED_NGRAMS_H
#define FULLMARKS_SPEED_NGRAMS_H

#include "_speed_text.h"

#define NONE UINT32_MAX

typedef struct {
    uint64_t key; /* an n-gram's two numbers, or a token's hash */
    uint32_t id, token; /* `token` is where in the prediction a token was first seen */
} Slot;

typedef struct {
    const Text *prediction;
    size_t orders;  /* the most tokens an n-gram of this prediction can have */
    uint32_t known; /* how many n-grams have a number */
    uint32_t *ids;  /* of the prediction's n-grams, by order, then by position */
    uint32_t *merged, *counts;
    uint32_t *reference, *run; /* numbers of a reference's tokens and of the n-grams that start at them */
    Slot *tokens, *pairs;
    size_t token_mask, pair_mask;
    size_t ids_capacity, merged_capacity, counts_capacity, reference_capacity, run_capacity;
    size_t tokens_capacity, pairs_capacity;
} Ngrams;

static void
ngrams_free(Ngrams *ngrams)
{
    PyMem_Free(ngrams->ids);
    PyMem_Free(ngrams->merged);
    PyMem_Free(ngrams->counts);
    PyMem_Free(ngrams->reference);
    PyMem_Free(ngrams->run);
    PyMem_Free(ngrams->tokens);
    PyMem_Free(ngrams->pairs);
}

static int
clear_table(Slot **slots, size_t *capacity, size_t *mask, size_t entries)
{
    size_t size = 16;
    while (size < 2 * entries) {
        size *= 2;
    }
    if (reserve(slots, capacity, size, sizeof(Slot)) < 0) {
        return -1;
    }
    for (size_t i = 0; i < size; i++) {
        (*slots)[i].id = NONE;
    }
    *mask = size - 1;
    return 0;
}

static inline uint64_t
mix(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

static inline uint64_t
hash_bytes(const char *bytes, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

/* The slot of a token: its own, or the free one where it belongs. */
static Slot *
find_token(const Ngrams *ngrams, const char *bytes, size_t length, uint64_t hash)
{
    for (size_t i = mix(hash) & ngrams->token_mask;; i = (i + 1) & ngrams->token_mask) {
        Slot *slot = &ngrams->tokens[i];
        if (slot->id == NONE) {
            return slot;
        }
        const Token *token = &ngrams->prediction->tokens[slot->token];
        if (slot->key == hash
            && token_equal(bytes, length, ngrams->prediction->bytes + token->start, token->length)) {
            return slot;
        }
    }
}

static Slot *
find_pair(const Ngrams *ngrams, uint32_t shorter, uint32_t token)
{
    uint64_t key = (uint64_t)shorter << 32 | token;
    for (size_t i = mix(key) & ngrams->pair_mask;; i = (i + 1) & ngrams->pair_mask) {
        Slot *slot = &ngrams->pairs[i];
        if (slot->id == NONE || slot->key == key) {
            return slot;
        }
    }
}

static void
number_tokens(Ngrams *ngrams)
{
    const Text *text = ngrams->prediction;
    for (size_t i = 0; i < text->count; i++) {
        const char *bytes = text->bytes + text->tokens[i].start;
        uint64_t hash = hash_bytes(bytes, text->tokens[i].length);
        Slot *slot = find_token(ngrams, bytes, text->tokens[i].length, hash);
        if (slot->id == NONE) {
            *slot = (Slot){hash, ngrams->known++, (uint32_t)i};
        }
        ngrams->ids[i] = slot->id;
    }
}

static void
number_longer_ngrams(Ngrams *ngrams)
{
    size_t length = ngrams->prediction->count;
    for (size_t order = 1; order < ngrams->orders; order++) {
        const uint32_t *shorter = ngrams->ids + (order - 1) * length;
        uint32_t *ids = ngrams->ids + order * length;
        for (size_t i = 0; i + order < length; i++) {
            Slot *slot = find_pair(ngrams, shorter[i], ngrams->ids[i + order]);
            if (slot->id == NONE) {
                *slot = (Slot){(uint64_t)shorter[i] << 32 | ngrams->ids[i + order], ngrams->known++, 0};
            }
            ids[i] = slot->id;
        }
    }
}

/* Numbers the n-grams of a prediction, which must stay as it is until ngrams_matches; -1 on failure. */
static int
ngrams_start(Ngrams *ngrams, const Text *prediction, size_t max_order)
{
    size_t length = prediction->count;
    ngrams->prediction = prediction;
    ngrams->orders = max_order < length ? max_order : length;
    ngrams->known = 0;
    if (length >= NONE / 4 / (ngrams->orders ? ngrams->orders : 1)) {
        PyErr_SetString(PyExc_OverflowError, "a prediction has too many tokens to count its n-grams");
        return -1;
    }
    size_t entries = length * ngrams->orders;
    if (reserve(&ngrams->ids, &ngrams->ids_capacity, entries, sizeof(uint32_t)) < 0
        || clear_table(&ngrams->tokens, &ngrams->tokens_capacity, &ngrams->token_mask, length) < 0
        || clear_table(&ngrams->pairs, &ngrams->pairs_capacity, &ngrams->pair_mask, entries - length) < 0) {
        return -1;
    }
    number_tokens(ngrams);
    number_longer_ngrams(ngrams);
    if (reserve(&ngrams->merged, &ngrams->merged_capacity, ngrams->known, sizeof(uint32_t)) < 0
        || reserve(&ngrams->counts, &ngrams->counts_capacity, ngrams->known, sizeof(uint32_t)) < 0) {
        return -1;
    }
    memset(ngrams->merged, 0, ngrams->known * sizeof(uint32_t));
    return 0;
}

/* Counts the n-grams of one more reference; -1 on failure. */
static int
ngrams_add_reference(Ngrams *ngrams, const Text *reference)
{
    size_t length = reference->count;
    if (ngrams->known == 0) {
        return 0;
    }
    if (reserve(&ngrams->reference, &ngrams->reference_capacity, length, sizeof(uint32_t)) < 0
        || reserve(&ngrams->run, &ngrams->run_capacity, length, sizeof(uint32_t)) < 0) {
        return -1;
    }
    uint32_t *run = ngrams->run, *tokens = ngrams->reference;
    memset(ngrams->counts, 0, ngrams->known * sizeof(uint32_t));
    for (size_t i = 0; i < length; i++) {
        const char *bytes = reference->bytes + reference->tokens[i].start;
        size_t size = reference->tokens[i].length;
        run[i] = tokens[i] = find_token(ngrams, bytes, size, hash_bytes(bytes, size))->id;
    }
    for (size_t order = 0; order < ngrams->orders; order++) {
        for (size_t i = 0; i + order < length; i++) {
            if (order > 0 && run[i] != NONE) {
                uint32_t last = tokens[i + order];
                run[i] = last == NONE ? NONE : find_pair(ngrams, run[i], last)->id;
            }
            if (run[i] != NONE && ++ngrams->counts[run[i]] > ngrams->merged[run[i]]) {
                ngrams->merged[run[i]] = ngrams->counts[run[i]];
            }
        }
    }
    return 0;
}

/* The same for a reference that takes the place of all before it; -1 on failure. */
static int
ngrams_add_only_reference(Ngrams *ngrams, const Text *reference)
{
    if (ngrams->known > 0) {
        memset(ngrams->merged, 0, ngrams->known * sizeof(uint32_t));
    }
    return ngrams_add_reference(ngrams, reference);
}

/* Writes the clipped matches of each order the prediction is long enough for; uses up the counts. */
static void
ngrams_matches(Ngrams *ngrams, double *matches)
{
    size_t length = ngrams->prediction->count;
    for (size_t order = 0; order < ngrams->orders; order++) {
        const uint32_t *ids = ngrams->ids + order * length;
        size_t same = 0;
        for (size_t i = 0; i + order < length; i++) {
            if (ngrams->merged[ids[i]] > 0) {
                ngrams->merged[ids[i]]--;
                same++;
            }
        }
        matches[order] = (double)same;
    }
}

#endif
