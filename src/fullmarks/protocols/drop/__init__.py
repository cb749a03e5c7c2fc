"""DROP."""
