"""`card`: Markdown in a pipe, text for a person."""

from __future__ import annotations


def test_a_card_in_a_pipe_is_markdown(run):
    plain = run("card", "squad2").out
    assert plain == run("card", "squad2", "-f", "markdown").out
    assert plain.startswith("# ")
    assert plain != run("card", "squad2", "-f", "text").out
