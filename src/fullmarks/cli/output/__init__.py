"""What the commands show: results on standard output, all else on standard error."""
