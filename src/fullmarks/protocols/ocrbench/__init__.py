"""OCRBench: whether the right text stands in an answer about a picture of text."""
