"""Files and objects to examples, or an error that names the file, the record and what was expected."""
