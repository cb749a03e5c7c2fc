"""2WikiMultihopQA."""
