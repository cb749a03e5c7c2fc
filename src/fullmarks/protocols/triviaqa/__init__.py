"""TriviaQA."""
