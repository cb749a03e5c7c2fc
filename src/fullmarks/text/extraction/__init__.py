"""What takes an answer out of a chatty text: pure functions, linear in the length of the text."""
