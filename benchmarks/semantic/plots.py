"""The figures of the experiment as SVG: state and waits over time, and how many times cheaper each query is."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
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
    states = [_panel(name, "tuples in state", *_series(figures, "states")) for name, figures in known.items()]
    (folder / f"{workload}-state.svg").write_text(_page(states, columns=3))
    waits = [
        _panel(name, "wait in seconds", *_series(figures, "waits", 1e-6))
        for name, figures in known.items()
        if figures["without"]["waits"]
    ]
    (folder / f"{workload}-wait.svg").write_text(_page(waits, columns=3))
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


#: Values by the time of the stream, in microseconds.
Series = Sequence[tuple[int, float]]


def _series(figures: Mapping[str, Figures], name: str, scale: float = 1) -> tuple[Series, Series]:
    """Returns what was measured over time, without and with constraints."""
    without, constrained = ([(at, value * scale) for at, value in figures[way][name]] for way in ("without", "with"))
    return without, constrained


def _panel(name: str, measured: str, without: Series, constrained: Series) -> str:
    """Returns a panel for a query: what was measured over the hours of the stream, on a logarithmic scale."""
    left, top, wide, high = 60, 26, _WIDTH - 74, _HEIGHT - 62
    times = [at for at, _ in (*without, *constrained)]
    begin, hours = min(times), max((max(times) - min(times)) / 3.6e9, 1e-9)
    decades = max(math.ceil(math.log10(max(2, *(value for _, value in (*without, *constrained))))), 1)
    parts = [_text(left, 16, name, 'font-weight="bold"')]
    for decade in range(decades + 1):
        y = top + high * (1 - decade / decades)
        parts.append(f'<line x1="{left}" x2="{left + wide}" y1="{y:.1f}" y2="{y:.1f}" stroke="#e4e4e4"/>')
        label = f"{10**decade:,}" if decade else "0, 1"
        parts.append(_text(left - 5, y + 4, label, 'text-anchor="end" font-size="9"'))
    for hour in range(0, math.floor(hours) + 1, 1 if hours <= 4 else 2 if hours <= 12 else 6):
        x = left + wide * hour / hours
        parts.append(_text(x, top + high + 13, f"{hour} h", 'text-anchor="middle" font-size="9"'))
    for series, colour in ((without, _GREY), (constrained, _BLUE)):
        points = " ".join(
            f"{left + wide * (at - begin) / 3.6e9 / hours:.1f},"
            f"{top + high * (1 - math.log10(max(value, 1)) / decades):.1f}"
            for at, value in series
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    parts.append(_text(left, _HEIGHT - 8, measured, 'font-size="9"'))
    parts.append(_text(left + 90, _HEIGHT - 8, "without", f'font-size="9" fill="{_GREY}"'))
    parts.append(_text(left + 135, _HEIGHT - 8, "with constraints", f'font-size="9" fill="{_BLUE}"'))
    return "".join(parts)


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
