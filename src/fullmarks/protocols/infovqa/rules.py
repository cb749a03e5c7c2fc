"""The types of InfographicVQA's questions, as the gold file has them, with their published names in published order."""

from __future__ import annotations

ANSWER_TYPES = {
    "image span": "Image-Span",
    "question span": "Question-Span",
    "multiple spans": "Multi-Span",
    "non span": "None span",
}
EVIDENCE_TYPES = {
    "table/list": "Table/list",
    "textual": "Text",
    "photo/pciture/visual_objects": "Visual/Layout",  # spelled so in the gold file
    "figure": "Figure",
    "map": "Map",
}
OPERATION_TYPES = {"comparison": "Sorting", "arithmetic": "Arithmetic", "counting": "Counting"}
