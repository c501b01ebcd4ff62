"""Files of rates: read, written, and what is said of wrong ones."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cera.model.events.rates import LabelRates, Rates
from cera.optimizer.costs.rates_file import RatesError, rates_of, rates_text, read_rates

RATES = Rates(
    3600.0,
    {
        "bid": LabelRates(2.5, {"auctionID": 40.0, "the price": 7.0}, {"the price": 0.25}, 1.5),
        'odd "label"': LabelRates(0.125),
    },
    {"auctionID": 600.0},
    {'bid(bidderID("007"))': 0.01, "bid: value >= 0": 1.0},
)


def test_rates_are_read_as_they_were_written() -> None:
    found = rates_of(tomllib.loads(rates_text(RATES, 9000)), "r.toml")
    assert found == Rates(RATES.seconds, RATES.labels, RATES.in_use, RATES.asked, "r.toml")


def test_a_condition_may_be_written_with_the_signs_of_papers() -> None:
    assert rates_of({"asked": {"bid: value ≥ 0": 0.5}}, "r.toml").asked == {"bid: value >= 0": 0.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("labels = 3", "'labels' is a table, found 3"),
        ("[labels.bid]\nlasts = 1", "'labels.bid' does not say how often such events come"),
        ("[labels.bid]\nper_second = -1", "'labels.bid.per_second' is a number that is not negative, found -1"),
        ("[labels.bid]\nper_second = true", "'labels.bid.per_second' is a number that is not negative, found True"),
        ("[labels.bid]\nper_minute = 1", "there is no setting 'labels.bid.per_minute'; there are per_second"),
        ("[asked]\n'bid: v > 0' = 3", "'asked.bid: v > 0' is a share, from 0 to 1, found 3.0"),
        ("seconds = 0", "'seconds' is how long the rates are for, and not 0"),
        ("seconds = ", "is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "r.toml"
    path.write_text(text)
    with pytest.raises(RatesError, match=r"r\.toml") as found:
        read_rates(path)
    assert message in str(found.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RatesError, match="cannot be read"):
        read_rates(tmp_path / "none.toml")


def test_labels_of_which_nothing_is_known_are_like_the_others_on_average() -> None:
    known = Rates(10.0, {"a": LabelRates(1.0), "b": LabelRates(3.0)})
    assert (known.per_second("a"), known.per_second("c"), known.per_second(None)) == (1.0, 2.0, 4.0)
