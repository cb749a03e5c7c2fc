"""Data frames and datasets of other libraries, which are never imported for that."""
