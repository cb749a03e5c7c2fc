"""OK-VQA: open questions that need outside knowledge, by VQA's rule."""
