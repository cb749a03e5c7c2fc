"""SQuAD 2.0."""
