"""fullmarks in the shapes that other tools expect: one thin file per tool, which imports that tool where it is used."""
