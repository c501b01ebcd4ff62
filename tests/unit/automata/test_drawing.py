"""Pictures of automata."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from math import hypot
from pathlib import Path

import pytest
from click.testing import CliRunner

from cera.automata import drawing
from cera.cli.main import main
from conformance.automata import AUCTION, structure

EXAMPLE = Path(__file__).parents[3] / "examples" / "auction-workflow" / "auction.ihta"
SVG = "{http://www.w3.org/2000/svg}"


def test_a_picture_has_a_circle_or_a_rectangle_for_every_state_and_every_label() -> None:
    root = ElementTree.fromstring(drawing.svg(structure(AUCTION)))
    texts = [each.text or "" for each in root.iter(f"{SVG}text")]
    assert {"A0", "B3", "I5", "b: BidderEnrollment(auctionID(A), enrollID(E))"} <= set(texts)
    circles = [each for each in root.iter(f"{SVG}circle") if each.get("stroke") == "#222"]
    assert len(circles) == 12 + 3  # the end states have two
    assert len(list(root.iter(f"{SVG}rect"))) == 1 + 3
    assert sum("hammerBeat" in text for text in texts) == 3


LOANS = EXAMPLE.parents[2] / "benchmarks" / "automata" / "loans.ihta"


def circles(root: ElementTree.Element, colour: str) -> set[tuple[float, float, float]]:
    found = [each for each in root.iter(f"{SVG}circle") if each.get("stroke") == colour]
    sizes: dict[tuple[float, float], float] = {}
    for each in found:  # of two borders the outer one
        x, y, radius = (float(each.get(name, 0)) for name in ("cx", "cy", "r"))
        sizes[x, y] = max(radius, sizes.get((x, y), 0))
    return {(x, y, radius) for (x, y), radius in sizes.items()}


@pytest.mark.parametrize("path", [EXAMPLE, LOANS], ids=lambda path: path.stem)
def test_nothing_lies_on_something_else(path: Path) -> None:
    """States and the numbers of labels are apart from each other, and in the picture."""
    root = ElementTree.fromstring(drawing.svg(structure(path.read_text())))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    states, numbers = circles(root, "#222"), circles(root, "#b58900")
    for (x, y, radius), (other_x, other_y, other_radius) in combinations([*states, *numbers], 2):
        assert hypot(x - other_x, y - other_y) > 0.9 * (radius + other_radius), (x, y)
    for x, y, radius in [*states, *numbers]:
        assert radius < x < width - radius
        assert radius < y < height - radius


def test_a_long_name_is_broken_between_its_words() -> None:
    assert drawing.name_lines("ApprovedRegistered") == ["Approved", "Registered"]
    assert drawing.name_lines("B0") == ["B0"]
    assert drawing.name_lines("waiting_for_payment") == ["waiting_", "for_payment"]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.processes
@pytest.mark.parametrize("path", [EXAMPLE, LOANS], ids=lambda path: path.stem)
def test_graphviz_draws_it(path: Path) -> None:
    text = drawing.dot(structure(path.read_text()))
    done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
    assert not done.stderr
    root = ElementTree.fromstring(done.stdout)
    assert len(list(root.iter(f"{SVG}text"))) > 30


def test_graphviz_and_mermaid_have_the_same_states_and_transitions() -> None:
    found = structure(AUCTION)
    dot, mermaid = drawing.dot(found), drawing.mermaid(found)
    assert dot.count(" -> ") - sum(" -> " in drawing.label_text(step) for step in found.steps) == len(found.steps)
    assert dot.count("doublecircle") == 3
    assert 'subgraph "cluster_Auction.ItemOffer"' in dot
    assert mermaid.count(" --> ") == len(found.steps) + 3  # and one out of each end state
    assert 'state "I0" as Auction_ItemOffer_I0' in mermaid


@pytest.mark.parametrize("ending", [".svg", ".dot", ".mmd"])
def test_the_command_writes_a_file(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # Graphviz need not be installed
    out = tmp_path / f"auction{ending}"
    result = CliRunner().invoke(main, ["draw", str(EXAMPLE), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "I0" in out.read_text()


def test_what_cannot_be_drawn_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    rules = tmp_path / "p.slog"
    rules.write_text("alarm(area(A)) <- fire(area(A)).\n")
    for arguments, message in [
        ([str(rules)], "there is no automaton in the program"),
        ([str(EXAMPLE), "--automaton", "Other"], "called Other"),
        ([str(EXAMPLE), "--out", "a.png"], "should end in .svg, .dot, .mmd"),
        ([str(EXAMPLE), "--out", str(tmp_path / "none" / "a.svg")], "cannot be written"),
    ]:
        result = CliRunner().invoke(main, ["draw", *arguments])
        assert result.exit_code == 2
        assert message in result.stderr


def test_the_picture_of_the_documents_is_that_of_the_example() -> None:
    assert (EXAMPLE.parents[2] / "docs" / "auction.svg").read_text() == drawing.svg(structure(AUCTION))
