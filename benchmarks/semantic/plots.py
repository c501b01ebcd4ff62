"""The figures of the experiment as SVG: the state over time, and how many times cheaper each query is."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

#: What was measured in one run, by name.
Figures = dict[str, Any]

_GREY, _BLUE = "#8a8a8a", "#1f6fb4"
_WIDTH, _HEIGHT = 300, 170


def save(folder: Path, workload: str, query: str, figures: Mapping[str, Figures]) -> None:
    """Keeps the figures of a query for `draw`, also those of other runs."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{workload}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**known, query: figures}))


def draw(folder: Path, workload: str) -> None:
    """Writes the plots of what was saved."""
    known: dict[str, dict[str, Figures]] = json.loads((folder / f"{workload}.json").read_text())
    (folder / f"{workload}-state.svg").write_text(_page(list(_state_panels(known)), columns=3))
    (folder / f"{workload}-gains.svg").write_text(_page([_gains(known)], columns=1, width=920, height=_rows(known)))


def _rows(known: Mapping[str, object]) -> int:
    return 70 + 34 * len(known)


def _page(panels: Sequence[str], *, columns: int, width: int = _WIDTH, height: int = _HEIGHT) -> str:
    rows = math.ceil(len(panels) / columns)
    placed = (
        f'<g transform="translate({column * width} {row * height})">{panel}</g>'
        for number, panel in enumerate(panels)
        for row, column in [divmod(number, columns)]
    )
    size = f'width="{columns * width}" height="{rows * height}" viewBox="0 0 {columns * width} {rows * height}"'
    style = 'font-family="sans-serif" font-size="11" fill="#222"'
    background = '<rect width="100%" height="100%" fill="white"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{background}{"".join(placed)}</svg>\n'


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'


def _state_panels(known: Mapping[str, Mapping[str, Figures]]) -> Iterator[str]:
    """Yields a panel for each query: the tuples in state over the hours of the stream, on a logarithmic scale."""
    left, top, wide, high = 52, 26, _WIDTH - 66, _HEIGHT - 62
    for name, figures in known.items():
        states = [figures[way]["states"] for way in ("without", "with")]
        begin = min(at for several in states for at, _ in several)
        hours = max((at - begin) / 3.6e9 for several in states for at, _ in several)
        most = max(2, *(count for several in states for _, count in several))
        decades = math.ceil(math.log10(most))
        parts = [_text(left, 16, name, 'font-weight="bold"')]
        for decade in range(decades + 1):
            y = top + high * (1 - decade / decades)
            parts.append(f'<line x1="{left}" x2="{left + wide}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>')
            parts.append(_text(left - 5, y + 4, f"{10**decade:,}", 'text-anchor="end" font-size="9"'))
        for hour in range(0, math.floor(hours) + 1, 2 if hours > 4 else 1):
            x = left + wide * hour / hours
            parts.append(_text(x, top + high + 13, f"{hour} h", 'text-anchor="middle" font-size="9"'))
        for several, colour in zip(states, (_GREY, _BLUE), strict=True):
            points = " ".join(
                f"{left + wide * (at - begin) / 3.6e9 / hours:.1f},"
                f"{top + high * (1 - math.log10(max(count, 1)) / decades):.1f}"
                for at, count in several
            )
            parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts.append(_text(left, _HEIGHT - 8, "tuples in state", 'font-size="9"'))
        parts.append(_text(left + 90, _HEIGHT - 8, "without", f'font-size="9" fill="{_GREY}"'))
        parts.append(_text(left + 135, _HEIGHT - 8, "with constraints", f'font-size="9" fill="{_BLUE}"'))
        yield "".join(parts)


def _gains(known: Mapping[str, Mapping[str, Figures]]) -> str:
    """Returns bars on a logarithmic scale: how many times less state and CPU time a query needs with constraints."""
    left, wide, most = 150, 640, 5
    parts = [
        _text(left, 18, "times less mean state", f'fill="{_BLUE}" font-weight="bold"'),
        _text(left + 160, 18, "times less CPU time", 'fill="#c2611f" font-weight="bold"'),
    ]
    bottom = _rows(known) - 24
    for decade in range(most + 1):
        x = left + wide * decade / most
        parts.append(f'<line x1="{x}" x2="{x}" y1="28" y2="{bottom}" stroke="#e4e4e4"/>')
        parts.append(_text(x, bottom + 14, f"{10**decade:,}", 'text-anchor="middle" font-size="9"'))
    for number, (name, figures) in enumerate(known.items()):
        y = 36 + 34 * number
        plain, other = figures["without"], figures["with"]
        gains = (
            (plain["mean"] / max(other["mean"], 1) if plain["mean"] else 1.0, _BLUE),
            (plain["cpu"] / other["cpu"], "#c2611f"),
        )
        parts.append(_text(left - 8, y + 15, name, 'text-anchor="end"'))
        for row, (gain, colour) in enumerate(gains):
            length = wide * min(max(math.log10(max(gain, 1e-9)), 0), most) / most
            parts.append(
                f'<rect x="{left}" y="{y + 11 * row}" width="{max(length, 1):.1f}" height="10" fill="{colour}"/>'
            )
            shown = f"{gain:,.0f}" if gain >= 20 else f"{gain:.2f}"
            parts.append(_text(left + length + 5, y + 9 + 11 * row, shown, 'font-size="9"'))
    return "".join(parts)
