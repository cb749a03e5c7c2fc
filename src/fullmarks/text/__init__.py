"""Normalisers, tokenisers, edit distance, alignment and the fast kernel: pure functions over strings."""
