"""The version, readable without importing anything else."""

__version__ = "1.1.0"
