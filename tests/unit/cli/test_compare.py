"""`cera compare`: tables, JSON, files and texts, and the exit status of `diff`."""

from __future__ import annotations

import json
from pathlib import Path

from unit.cli.command_line import Cera

TYPES = """\
E4 := ;(last: shared: E1, E3);
E5 := not(last: exclusive: E1, E2, E3);
"""


def test_a_difference_is_a_table_with_what_each_detects_at_each_event(cera: Cera) -> None:
    result = cera("compare", "recent E1 ; E3", "recent NOT(E2)[E1, E3]", "--labels", "E1, E3")
    assert result.exit_code == 1
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in result.output.splitlines() if "│" in line]
    assert rows == [
        ["history", "e1^1", "e3^1", "e3^2"],
        ["recent E1 ; E3", "", "(e1^1 e3^1)", "(e1^1 e3^2)"],
        ["recent NOT(E2)[E1, E3]", "", "(e1^1 e3^1)", ""],
    ]
    assert "a difference after 3 events (8 histories tried)" in result.output


def test_no_difference_is_said_with_the_number_of_histories(cera: Cera) -> None:
    result = cera("compare", "chronicle E1 ; E2", "samos E1 ; E2", "--max-events", "3")
    assert (result.exit_code, result.output) == (0, "no difference up to 3 events (8 histories tried)\n")
    result = cera("compare", "recent E1 ; E2", ";(last: shared: E1, E2)")
    assert result.exit_code == 0
    assert result.output.startswith("no difference, however many events")


def test_the_types_of_files_are_named_where_there_are_several(cera: Cera, folder: Path) -> None:
    (folder / "types.cet").write_text(TYPES)
    (folder / "one.snoop").write_text("E6 := recent E1 ; E3\n")
    assert cera("compare", "types.cet:E4", "types.cet:E5", "--labels", "E1,E3").exit_code == 1
    assert cera("compare", "types.cet:E4", "one.snoop").exit_code == 0
    several = cera("compare", "types.cet", "one.snoop")
    assert several.exit_code == 2
    assert "types.cet has several event types; say which, as in types.cet:E5: E4, E5" in several.output
    unknown = cera("compare", "types.cet:E44", "one.snoop")
    assert unknown.exit_code == 2
    assert "did you mean `E4`?" in unknown.output


def test_what_is_wrong_with_a_text_is_shown_in_the_language_that_it_is_nearest_to(cera: Cera) -> None:
    result = cera("compare", ";(frist: E1, E2)", "E1 ; E2")
    assert result.exit_code == 2
    assert "did you mean `first`?" in result.output
    result = cera("compare", "recent E1 ; ", "E1 ; E2")
    assert result.exit_code == 2
    assert "error[SN" in result.output
    assert cera("compare", " ", "E1 ; E2").exit_code == 2
    assert cera("compare", "absent.cet", "E1 ; E2").exit_code == 2
    assert "files that end in .cet or .snoop" in cera("compare", "fire.xceq", "E1 ; E2").output


def test_json_has_the_history_and_the_detections_of_both(cera: Cera) -> None:
    result = cera("compare", ";(E1, E2) where E2.v > 3", ";(E1, E2) where E2.v > 2", "--json")
    assert result.exit_code == 1
    record = json.loads(result.output)
    assert record["events"] == 2
    [difference] = record["differences"]
    assert difference == {
        "history": [
            {"name": "e1^1", "time": 0, "event": "E1", "values": {}},
            {"name": "e2^1", "time": 1_000_000, "event": "E2", "values": {"v": 3}},
        ],
        "detections": [[], [{"time": 1_000_000, "events": ["e1^1", "e2^1"], "count": 1}]],
    }


def test_all_shortest_histories_are_shown_on_demand(cera: Cera) -> None:
    result = cera("compare", "recent (E1 and E2)", "chronicle (E1 and E2)", "--count", "--all", "--json")
    histories = [" ".join(one["name"] for one in each["history"]) for each in json.loads(result.output)["differences"]]
    assert histories == ["e1^1 e2^1 e2^2", "e1^1 e2^1 e1^2", "e2^1 e1^1 e2^2", "e2^1 e1^1 e1^2"]


def test_times_are_shown_where_they_matter(cera: Cera) -> None:
    result = cera("compare", ";(E1, E2) within 5 min", ";(E1, E2)")
    assert "5 min 1 sec" in result.output
    assert "sec" not in cera("compare", ";(E1, E2)", ";(shared: E1, E2)").output
