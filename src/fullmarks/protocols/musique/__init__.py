"""MuSiQue."""
