"""MLQA."""
