"""Times as text and numbers, in and out."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cera.model.time.interval import MAX_TIME, MIN_TIME, Interval, Time
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit, parse_datetime

SECOND = 1_000_000

#: 2006-09-18 is a Monday, 13,409 days after 1970-01-01.
NINE_O_CLOCK = (13_409 * 86_400 + 9 * 3600) * SECOND

ISO = TimeFormat()
BERLIN = TimeFormat(timezone="Europe/Berlin")


@pytest.mark.parametrize(
    "text",
    [
        "2006-09-18T09:00:00Z",
        "2006-09-18T09:00:00z",
        "2006-09-18t09:00Z",
        "2006-09-18 09:00",
        "2006-09-18T09:00",
        "2006-09-18T09:00:00",
        "2006-09-18T09:00:00.000000",
        "2006-09-18T11:00:00+02:00",
        "2006-09-18T11:00+0200",
        "2006-09-18T11:00+02",
        "2006-09-18T05:30:00-03:30",
        "2006-09-17T09:01:00-23:59",
        "  2006-09-18T09:00:00Z ",
    ],
)
def test_one_time_in_many_spellings_of_iso_8601(text: str) -> None:
    assert ISO.parse(text) == NINE_O_CLOCK


def test_a_date_is_its_midnight() -> None:
    assert ISO.parse("2006-09-18") == NINE_O_CLOCK - 9 * 3600 * SECOND
    assert BERLIN.parse("2006-09-18") == NINE_O_CLOCK - 11 * 3600 * SECOND


@pytest.mark.parametrize(
    ("fraction", "microseconds"), [(".5", 500_000), (",5", 500_000), (".000001", 1), (".123456", 123_456)]
)
def test_fractions_have_up_to_six_digits(fraction: str, microseconds: int) -> None:
    assert ISO.parse(f"2006-09-18T09:00:00{fraction}Z") == NINE_O_CLOCK + microseconds


def test_a_time_without_an_offset_belongs_to_the_time_zone() -> None:
    assert BERLIN.parse("2006-09-18T11:00") == NINE_O_CLOCK
    assert BERLIN.parse("2006-09-18T09:00Z") == NINE_O_CLOCK
    assert BERLIN.parse("2006-12-18T10:00") == ISO.parse("2006-12-18T09:00")


def test_a_time_that_the_clock_leaves_out_is_later_by_the_length_of_the_gap() -> None:
    # On 26 March 2006 at 2:00 (1:00 UTC) clocks in Berlin were put forward to 3:00.
    assert BERLIN.parse("2006-03-26T01:59") == ISO.parse("2006-03-26T00:59Z")
    assert BERLIN.parse("2006-03-26T02:30") == BERLIN.parse("2006-03-26T03:30") == ISO.parse("2006-03-26T01:30Z")


def test_a_time_that_the_clock_shows_twice_is_the_first() -> None:
    # On 29 October 2006 at 3:00 (1:00 UTC) clocks in Berlin were put back to 2:00.
    assert BERLIN.parse("2006-10-29T02:30") == ISO.parse("2006-10-29T00:30Z")
    assert BERLIN.parse("2006-10-29T03:00") == ISO.parse("2006-10-29T02:00Z")


@pytest.mark.parametrize(
    ("unit", "number", "time"),
    [
        (None, 1_158_570_000, NINE_O_CLOCK),
        ("s", 1_158_570_000, NINE_O_CLOCK),
        ("ms", 1_158_570_000_000, NINE_O_CLOCK),
        ("us", 1_158_570_000_000_000, NINE_O_CLOCK),
        ("s", 1_158_570_000.123456, NINE_O_CLOCK + 123_456),
        ("s", 0.1, 100_000),
        ("s", 1.1, 1_100_000),
        ("s", 4.35, 4_350_000),
        ("s", 1_158_570_000.3, NINE_O_CLOCK + 300_000),
        ("s", 1e-06, 1),
        ("s", -0.5, -500_000),
        ("s", -0.0, 0),
        ("ms", 0.001, 1),
        ("ms", 1_158_570_000_000.007, NINE_O_CLOCK + 7),
        ("us", 12.0, 12),
        ("s", 1e9, 10**15),
    ],
)
def test_a_number_counts_its_unit_exactly(unit: TimeUnit | None, number: float, time: Time) -> None:
    assert TimeFormat(unit).parse(number) == time
    assert TimeFormat(unit).parse(repr(number)) == time


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("12", 12 * SECOND),
        (" 12.50 ", 12_500_000),
        ("+3", 3 * SECOND),
        ("-3", -3 * SECOND),
        (".5", 500_000),
        ("5.", 5 * SECOND),
        ("1.5e3", 1500 * SECOND),
        ("1.5E-3", 1500),
        ("0.1000000000000000000000000000000000000000", 100_000),
        ("2006.0", 2006 * SECOND),
        ("02006", 2006 * SECOND),
    ],
)
def test_a_text_of_digits_is_a_number(text: str, time: Time) -> None:
    assert ISO.parse(text) == time


@pytest.mark.parametrize("text", ["2026", " 2026 ", "0001", "9999"])
def test_a_text_of_four_digits_is_refused_where_it_may_be_a_year(text: str) -> None:
    with pytest.raises(TimeError, match=rf"'{text.strip()}' is a year or a number of seconds; .*like ⟦time_unit=s⟧"):
        ISO.parse(text)


@pytest.mark.parametrize("text", ["20260302", " 19991231 "])
def test_a_text_of_eight_digits_is_refused_where_it_may_be_a_day(text: str) -> None:
    day = f"{text.strip()[:4]}-{text.strip()[4:6]}-{text.strip()[6:]}"
    expected = f"'{text.strip()}' is a day or a number of seconds; write the date, like {day}, or give the unit"
    with pytest.raises(TimeError, match=expected):
        ISO.parse(text)
    assert TimeFormat("s").parse(text) == int(text) * SECOND
    assert ISO.parse(int(text)) == int(text) * SECOND


@pytest.mark.parametrize("text", ["20261302", "20260332", "18000101", "1700000000"])
def test_other_digits_are_a_number(text: str) -> None:
    assert ISO.parse(text) == int(text) * SECOND


def test_a_text_of_four_digits_is_a_number_where_the_unit_is_given() -> None:
    assert TimeFormat("s").parse("2026") == 2026 * SECOND
    assert TimeFormat("ms").parse("2026") == 2_026_000
    assert ISO.parse(2026) == 2026 * SECOND


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("s", 0.0000001),
        ("s", 1.0000005),
        ("s", "1.1234567"),
        ("s", "0.1000000000000000000000000000000000000001"),
        ("ms", 0.0005),
        ("us", 1.5),
        ("s", 5e-324),
    ],
)
def test_a_number_finer_than_a_microsecond_is_refused(unit: TimeUnit, value: object) -> None:
    with pytest.raises(TimeError, match="is not a whole number of microseconds, the finest time there is"):
        TimeFormat(unit).parse(value)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (True, "true"),
        (False, "false"),
        (None, "null"),
        ("", "''"),
        ("soon", "'soon'"),
        ("9 o'clock", "'9 o'clock'"),
        ("2006-9-18", "'2006-9-18'"),
        ("20060918T09Z", "'20060918T09Z'"),
        ("2006-09-18Z", "'2006-09-18Z'"),
        ("2006-09-18T09", "'2006-09-18T09'"),
        ("2006-09-18T09:00:00 CET", "'2006-09-18T09:00:00 CET'"),
        ("٢٠٠٦-٠٩-١٨", "'٢٠٠٦-٠٩-١٨'"),
        ("١٢", "'١٢'"),
        ("nan", "'nan'"),
        ("Infinity", "'Infinity'"),
        ("1_000", "'1_000'"),
        ("0x10", "'0x10'"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ([1], "a list"),
        ({"a": 1}, "an object"),
        (b"12", "a bytes"),
        ("x" * 1000, f"'{'x' * 60}…'"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_not_a_time_is_named_with_what_is_expected(value: object, found: str) -> None:
    expected = f"{found} is not a time; expected ISO 8601 like 2006-09-18T09:00:00Z, or a number of milliseconds"
    if re.search(r"[0-9]\D+[0-9]", str(value)) and isinstance(value, str):
        expected += "; for another format give ⟦time_format⟧, like '%d/%m/%Y %H:%M'"
    with pytest.raises(TimeError, match=f"^{re.escape(expected)}$"):
        TimeFormat("ms").parse(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2006-02-29", "month"),
        ("2006-13-01", "month must be in 1..12"),
        ("2006-09-18T24:01", "hour must be in 0..23"),
        ("2006-09-18T24:00:00.5", "hour must be in 0..23"),
        ("2006-09-18T09:60", "minute must be in 0..59"),
        ("2005-12-31T23:59:60Z", "second must be in 0..59"),
        ("0000-01-01", "year 0 is out of range"),
    ],
)
def test_a_date_that_the_calendar_does_not_have_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TimeError, match=f"'{text}' is not a date and time of the calendar: .*{reason}"):
        ISO.parse(text)


@pytest.mark.parametrize("fraction", ["123456789", "1234569", "123456999999999"])
def test_what_is_finer_than_a_microsecond_is_cut_off(fraction: str) -> None:
    assert ISO.parse(f"2006-09-18T09:00:00.{fraction}Z") == NINE_O_CLOCK + 123_456


def test_nanoseconds_are_rounded_down_before_1970_too() -> None:
    times = TimeFormat("ns")
    assert [times.parse(value) for value in (1_999, 2_000, -1, "-1001", 1.5)] == [1, 2, -1, -2, 0]
    assert times.format(NINE_O_CLOCK) == NINE_O_CLOCK * 1_000


def test_24_o_clock_is_the_midnight_that_follows() -> None:
    midnight = ISO.parse("2006-09-19")
    texts = ("2006-09-18T24:00", "2006-09-18T24:00:00Z", "2006-09-18 24:00:00.000", "20060918T2400")
    assert {ISO.parse(text) for text in texts} == {midnight}
    assert BERLIN.parse("2006-09-18T24:00") == BERLIN.parse("2006-09-19")
    with pytest.raises(TimeError, match="outside of the years"):
        ISO.parse("9999-12-31T24:00")


@pytest.mark.parametrize(
    "text",
    [
        "20060918T090000Z",
        "20060918T0900Z",
        "20060918T110000+0200",
        "20060918T090000.000Z",
        "2006-09-18 09:00:00 UTC",
        "2006-09-18T09:00UTC",
        "2006-09-18 11:00:00 +0200",
    ],
)
def test_basic_iso_8601_and_the_spellings_of_logs(text: str) -> None:
    assert ISO.parse(text) == BERLIN.parse(text) == NINE_O_CLOCK


def test_a_pattern_says_how_texts_are_written() -> None:
    times = TimeFormat(pattern="%d/%m/%Y %H:%M")
    assert times.parse("18/09/2006 09:00") == times.parse(" 18/09/2006 09:00 ") == NINE_O_CLOCK
    assert TimeFormat(timezone="Europe/Berlin", pattern="%d/%m/%Y %H:%M").parse("18/09/2006 11:00") == NINE_O_CLOCK
    assert TimeFormat(pattern="%Y%m%d %H%M%S %z").parse("20060918 110000 +0200") == NINE_O_CLOCK
    assert times.parse(5) == 5 * SECOND  # what is a number in JSON counts as ever
    with pytest.raises(TimeError, match=r"'2006-09-18' is not a time like %d/%m/%Y %H:%M"):
        times.parse("2006-09-18")


@pytest.mark.parametrize("pattern", ["", "%H:%M", "%d/%m %H:%M", "%Q", "%d/%m/%Y %Z", "%d/%m/%Y %"])
def test_a_pattern_that_does_not_tell_a_date_is_refused(pattern: str) -> None:
    with pytest.raises(TimeError, match="the time format"):
        TimeFormat(pattern=pattern)


@pytest.mark.parametrize("offset", ["+24:00", "-02:60", "+99:99"])
def test_an_offset_of_a_day_or_more_is_refused(offset: str) -> None:
    with pytest.raises(TimeError, match="has no offset from UTC"):
        ISO.parse(f"2006-09-18T09:00:00{offset}")


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("s", 253_402_300_800),
        ("s", -62_135_596_801),
        ("s", 1_158_570_000_000),
        ("us", MAX_TIME + 1),
        ("us", MIN_TIME - 1),
        ("s", 10**5000),
        ("s", 1e300),
        ("s", "1e400"),
        ("s", "9" * 5000),
        ("s", "1e99999999999999999999999"),
        ("s", "0001-01-01T00:00:00+00:01"),
        ("s", "9999-12-31T23:59:59.999999-00:01"),
    ],
    ids=lambda value: str(value)[:20] if not isinstance(value, int) else hex(value)[:20],
)
def test_a_time_outside_of_the_years_1_to_9999_is_refused(unit: TimeUnit, value: object) -> None:
    with pytest.raises(TimeError, match="lies outside of the years 1 to 9999"):
        TimeFormat(unit).parse(value)


def test_milliseconds_taken_for_seconds_get_a_hint() -> None:
    with pytest.raises(TimeError, match=r"^1158570000000 seconds lies outside .* is the unit of time right\?$"):
        ISO.parse(1_158_570_000_000)


def test_the_first_and_the_last_time_are_times() -> None:
    assert ISO.parse("0001-01-01T00:00:00Z") == MIN_TIME
    assert ISO.parse("9999-12-31T23:59:59.999999Z") == MAX_TIME
    assert TimeFormat("us").parse(MAX_TIME) == MAX_TIME


@pytest.mark.parametrize(
    ("unit", "time", "written"),
    [
        (None, NINE_O_CLOCK, "2006-09-18T09:00:00Z"),
        (None, NINE_O_CLOCK + 500_000, "2006-09-18T09:00:00.5Z"),
        (None, NINE_O_CLOCK - 1, "2006-09-18T08:59:59.999999Z"),
        (None, NINE_O_CLOCK + 1200, "2006-09-18T09:00:00.0012Z"),
        (None, 0, "1970-01-01T00:00:00Z"),
        (None, MIN_TIME, "0001-01-01T00:00:00Z"),
        ("s", NINE_O_CLOCK, 1_158_570_000),
        ("s", NINE_O_CLOCK + 500_000, 1_158_570_000.5),
        ("s", -500_000, -0.5),
        ("ms", NINE_O_CLOCK, 1_158_570_000_000),
        ("ms", 1_500, 1.5),
        ("us", NINE_O_CLOCK + 1, 1_158_570_000_000_001),
    ],
)
def test_a_time_is_written(unit: TimeUnit | None, time: Time, written: str | float) -> None:
    found = TimeFormat(unit).format(time)
    assert (found, type(found)) == (written, type(written))


def test_a_fraction_that_no_double_holds_is_written_as_digits() -> None:
    assert TimeFormat("s").format(MAX_TIME) == "253402300799.999999"
    assert TimeFormat("ms").format(MAX_TIME) == "253402300799999.999"
    assert TimeFormat("us").format(MAX_TIME) == MAX_TIME


times = st.one_of(
    st.integers(MIN_TIME, MAX_TIME),
    st.integers(-(10**10), 10**10),
    st.integers(MIN_TIME // SECOND, MAX_TIME // SECOND).map(lambda seconds: seconds * SECOND),
    st.sampled_from([MIN_TIME, MAX_TIME, 0]),
)


@given(times, st.sampled_from([None, "s", "ms", "us"]), st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata"]))
def test_a_written_time_is_read_back(time: Time, unit: TimeUnit | None, timezone: str) -> None:
    layout = TimeFormat(unit, timezone)
    assert layout.parse(layout.format(time)) == time
    assert layout.parse(str(layout.format(time))) == time


@given(st.integers(-(2**33) * SECOND, 2**33 * SECOND))
def test_numbers_of_our_centuries_are_written_as_numbers(time: Time) -> None:
    assert not isinstance(TimeFormat("s").format(time), str)


@given(st.one_of(st.text(max_size=30), st.from_regex(r"[0-9T:.+-]{1,30}"), st.floats(), st.integers()))
def test_whatever_comes_is_a_time_or_is_refused(value: object) -> None:
    with contextlib.suppress(TimeError):
        assert MIN_TIME <= ISO.parse(value) <= MAX_TIME


def test_a_datetime_of_a_program_is_a_point() -> None:
    assert parse_datetime("2006-09-18T09:00", "UTC") == Interval(NINE_O_CLOCK, NINE_O_CLOCK)
    assert parse_datetime("2006-09-18T11:00", "Europe/Berlin") == Interval(NINE_O_CLOCK, NINE_O_CLOCK)
    midnight = NINE_O_CLOCK - 9 * 3600 * SECOND
    assert parse_datetime("2006-09-18", "UTC") == Interval(midnight, midnight)


@pytest.mark.parametrize("text", ["", "12", "monday", "2006-09", "2006-09-18T", "2006-02-30", "T09:00"])
def test_what_is_not_a_datetime_is_refused(text: str) -> None:
    with pytest.raises(TimeError, match=f"^'{text}' is not a date"):
        parse_datetime(text, "UTC")


@pytest.mark.parametrize("name", ["", "Europe", "Berlin/Europe", "../../etc/passwd", "/etc/localtime", "x" * 999, "\0"])
def test_an_unknown_time_zone_is_refused(name: str) -> None:
    with pytest.raises(TimeError, match="there is no time zone"):
        TimeFormat(timezone=name)
    with pytest.raises(TimeError, match="there is no time zone"):
        parse_datetime("2006-09-18", name)


@pytest.mark.parametrize("name", ["Europe/Berln", "europe/berlin"])
def test_a_misspelt_time_zone_is_guessed(name: str) -> None:
    with pytest.raises(TimeError, match=f"there is no time zone '{name}'; did you mean 'Europe/Berlin'"):
        TimeFormat(timezone=name)
