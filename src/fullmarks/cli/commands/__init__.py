"""The commands, one module each; `score`, which has more to do, is a folder."""
