"""MME: fourteen tasks of yes-or-no questions, two to an image."""
