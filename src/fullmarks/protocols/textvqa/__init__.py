"""TextVQA: short answers read off images, each against ten annotators."""
