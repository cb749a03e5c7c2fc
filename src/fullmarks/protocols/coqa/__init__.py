"""CoQA."""
