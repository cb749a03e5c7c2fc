"""PopQA."""
