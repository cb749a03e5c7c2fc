"""FusionBrain Challenge 2.0."""
