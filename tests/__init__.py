"""The tests, as a package: some tools install one of the same name, which must not be found first."""
