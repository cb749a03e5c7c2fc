"""DocVQA: ANLS of answers about scanned documents."""
