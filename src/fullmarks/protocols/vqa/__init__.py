"""VQA with ten annotators."""
