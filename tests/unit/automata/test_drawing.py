"""Pictures of automata."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
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


def test_graphviz_and_mermaid_have_the_same_states_and_transitions() -> None:
    found = structure(AUCTION)
    dot, mermaid = drawing.dot(found), drawing.mermaid(found)
    assert dot.count(" -> ") - sum(" -> " in drawing.label_text(step) for step in found.steps) == len(found.steps)
    assert dot.count("doublecircle") == 3
    assert 'subgraph "cluster_Auction.ItemOffer"' in dot
    assert mermaid.count(" --> ") == len(found.steps) + 3  # and one out of each end state
    assert 'state "I0" as Auction_ItemOffer_I0' in mermaid


@pytest.mark.parametrize("ending", [".svg", ".dot", ".mmd"])
def test_the_command_writes_a_file(ending: str, tmp_path: Path) -> None:
    out = tmp_path / f"auction{ending}"
    result = CliRunner().invoke(main, ["draw", str(EXAMPLE), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "I0" in out.read_text()


def test_what_cannot_be_drawn_is_an_error(tmp_path: Path) -> None:
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
