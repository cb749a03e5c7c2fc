"""ST-VQA: ANLS and accuracy of answers about scene text."""
