"""A result as people and programs read it: terminal, JSON, Markdown, CSV, plots, pages."""
