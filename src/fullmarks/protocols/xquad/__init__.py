"""XQuAD."""
