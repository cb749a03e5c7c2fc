"""What can be said of results: how sure they are, how systems compare, whether they are good enough, other rules."""
