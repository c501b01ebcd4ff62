"""What `cera fmt` writes of a Snoop program with comments in odd places."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.languages.snoop.printer import format_source


def test_what_closes_a_bracket_does_not_fall_into_a_comment_before_it() -> None:
    text = "E4 := recent (E1 ; E2 where E1.k = E2.k\n# inside\n) ; E3\n"
    formatted = format_source(Source("a.snoop", text))
    assert "# inside\n" in formatted
    assert format_source(Source("a.snoop", formatted)) == formatted
