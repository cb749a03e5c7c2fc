"""Qasper."""
