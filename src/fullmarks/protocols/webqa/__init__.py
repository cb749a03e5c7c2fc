"""WebQA."""
