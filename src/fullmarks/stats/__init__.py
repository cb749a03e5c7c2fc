"""How sure a number is: resampling, paired tests, corrections. Works on rows of numbers, never on text."""
