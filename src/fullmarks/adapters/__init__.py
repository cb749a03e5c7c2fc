"""The shapes that other tools expect."""
