"""Options that several commands share, each with what it means for a run."""
