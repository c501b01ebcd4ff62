"""Tables for notebooks: HTML in which every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

#: How many rows a notebook shows.
SHOWN = 50

_CELL = "text-align: left; vertical-align: top; white-space: pre-wrap"


def html_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]], more: int = 0) -> str:
    """Returns a table; `more` rows that are not shown are counted below it."""
    head = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(_cell(each) for each in row)}</tr>" for row in rows)
    foot = f"<p>… and {more:,} more</p>" if more > 0 else ""
    return f"<p>{escape(caption)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def html_text(text: str) -> str:
    """Returns a text with its layout kept."""
    return f"<pre>{escape(text)}</pre>"


def _cell(value: object) -> str:
    return f'<td style="{_CELL}">{escape(str(value))}</td>'
