"""Generic question answering."""
