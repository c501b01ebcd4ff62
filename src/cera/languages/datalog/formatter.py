"""`cera fmt` for Datalog_1S: rules as the printer writes them, with every comment and single empty lines kept."""

from __future__ import annotations

from cera.datalog.printer import print_item
from cera.diagnostics import Source
from cera.errors import ProgramError
from cera.languages.datalog.parser import ParsedModules, clauses, parse


def format_source(source: Source) -> str:
    """Formats a source as `cera fmt` does; doing that again changes nothing. Raises ProgramError if it does not
    parse."""
    parsed = parse(source)
    if parsed.diagnostics:
        raise ProgramError(parsed.diagnostics)
    text = source.text
    written: list[str] = []
    end = 0
    for start, stop, line in _items(source, parsed):
        gap = text[end:start]
        if written and "\n" not in gap and line.startswith("%"):
            written[-1] += f"  {line}"  # behind a rule, in its line
        else:
            written += [""] if written and gap.count("\n") > 1 else []
            written.append(line)
        end = max(end, stop)
    return "".join(f"{line}\n" for line in written)


def _items(source: Source, parsed: ParsedModules) -> list[tuple[int, int, str]]:
    """Returns rules, directives and comments with their places, in order; comments inside of a rule stand before it."""
    pieces = list(clauses(source.text))
    items = []
    for piece, item in zip(pieces, parsed.items, strict=True):
        items.append((piece.start, piece.end, print_item(item)))
    for comment in parsed.comments:
        around = next((p for p in pieces if p.start < comment.span.start < p.end), None)
        place = (comment.span.start, comment.span.end) if around is None else (around.start, around.start)
        items.append((*place, comment.text.rstrip()))
    return sorted(items, key=lambda item: (item[0], not item[2].startswith("%")))
