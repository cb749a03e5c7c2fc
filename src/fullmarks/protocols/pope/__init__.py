"""POPE: whether a model sees objects that are not there, by questions to be answered with yes or no."""
