"""NQ-open."""
