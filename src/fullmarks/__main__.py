"""`python -m fullmarks` is the command `fullmarks`."""

from fullmarks.cli.main import command

if __name__ == "__main__":
    command()
