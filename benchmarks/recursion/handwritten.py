"""The rules of `closure.xceq` as one would write them by hand: `python -m benchmarks.recursion.handwritten EVENTS OUT`.

A semi-naive loop over links in the order of time: a new link goes on from the paths that lead to it, and what is new
goes on over the links that are known, until nothing is. What is older than an hour is dropped. It knows that no two
links are seen at one time, and writes an answer with its interval and its term, but without an id and causes.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

HOUR = 3_600_000


class Path(NamedTuple):
    """A derived event: what it is about, and the times of its first and of its last link."""

    site: str
    source: str
    target: str
    begin: str
    end: str


Host = tuple[str, str]


def detect(lines: Iterable[str]) -> Iterator[Path]:
    #: Of each host: the links that begin there, and the beginnings and begins of the paths that end there.
    links: defaultdict[Host, list[tuple[int, str]]] = defaultdict(list)
    paths: defaultdict[Host, list[tuple[int, str]]] = defaultdict(list)
    texts: dict[int, str] = {}
    for line in lines:
        link = json.loads(line)
        site, source, target, text = link["site"], link["from"], link["to"], link["ts"]
        now = _milliseconds(text)
        since = now - HOUR
        texts[now] = text
        begun = links[site, source]
        begun[:] = [each for each in begun if each[0] >= since]
        begun.append((now, target))
        ended = paths[site, source]
        ended[:] = [each for each in ended if each[0] >= since]
        new = {(source, target, now): None}
        new.update(((start, target, begin), None) for begin, start in ended)
        waiting = list(new)
        for start, end, begin in waiting:  # grows as it goes
            for at, further in links.get((site, end), ()):
                if at >= since:
                    path = (start, further, min(at, begin))
                    if path not in new:
                        new[path] = None
                        waiting.append(path)
        for start, end, begin in waiting:
            paths[site, end].append((begin, start))
            yield Path(site, start, end, texts[begin], text)


def _milliseconds(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def answer_line(path: Path) -> str:
    term = {"path": {"from": path.source, "site": path.site, "to": path.target}}
    return json.dumps({"begin": path.begin, "end": path.end, "term": term}) + "\n"


def main(events: str, out: str) -> None:
    with open(events) as lines, open(out, "w") as answers:
        answers.writelines(map(answer_line, detect(lines)))


if __name__ == "__main__":
    main(*sys.argv[1:])
