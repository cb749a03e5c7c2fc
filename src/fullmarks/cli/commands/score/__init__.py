"""`fullmarks score`, and what it alone needs."""
