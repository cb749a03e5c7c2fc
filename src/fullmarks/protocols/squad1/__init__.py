"""SQuAD 1.1."""
