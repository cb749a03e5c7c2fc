"""Stemmers, lemmatisers and synonym lexicons behind small interfaces."""
