"""Logs of other evaluation tools: one file per tool, recognised by shape. What is read of each: docs/logs.md."""
