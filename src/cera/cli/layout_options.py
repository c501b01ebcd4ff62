"""The options that say how the records of a source are laid out."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

import click

from cera.cli.config_file import is_from_file
from cera.connectors.files import ENDINGS, Layout
from cera.connectors.records.csv_dialect import SETTINGS, csv_dialect
from cera.connectors.records.layout import Envelope
from cera.connectors.source import Source
from cera.errors import UsageError
from cera.model.time.time_text import TimeError, TimeFormat, TimeUnit

R = TypeVar("R")

#: What follows --csv without being a file.
_SETTING = re.compile(rf"(?:{'|'.join(SETTINGS)})=")


class Settings(click.Option):
    """An option that takes KEY=VALUE, and the words of this form that follow it."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        for name in self.opts:
            option = parser._long_opt[name]
            process = option.process

            def process_all(value: str, state: Any, process: Any = process) -> None:
                process(value, state)
                while state.rargs and _SETTING.match(state.rargs[0]):
                    process(state.rargs.pop(0), state)

            option.process = process_all


def check_layout(layout: Layout, sources: Sequence[Source]) -> None:
    """Raises UsageError if a layout is given and all sources are databases, whose changes have none."""
    if layout.envelope is not None and sources and not any(source.has_layout for source in sources):
        raise UsageError(
            f"--layout {layout.envelope} is for files and standard input; db:URL has changes of its own kind"
        )


def layout_options(formats: Sequence[str] = tuple(ENDINGS.values())) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Returns the decorator for --format, --label-field and so on; the command gets a `layout`.

    Stands above `program_options`.
    """

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        @click.option(
            "--format",
            "format_",
            type=click.Choice(sorted(set(formats))),
            help="The format, where no ending tells it.",
        )
        @click.option(
            "--layout",
            "envelope",
            type=click.Choice(get_args(Envelope)),
            help="What the records are where they are neither event objects nor flat: Debezium's change events.",
        )
        @click.option("--label-field", metavar="NAME", help="Flat records: the field that holds the label.")
        @click.option("--label", metavar="LABEL", help="Flat records: the label of all of them.")
        @click.option("--time-field", metavar="NAME", help="Flat records: the field that holds the time, or the begin.")
        @click.option("--end-field", metavar="NAME", help="Flat records: the field that holds the end.")
        @click.option("--id-field", metavar="NAME", help="The field whose value keeps equal records apart.")
        @click.option(
            "--state-field",
            metavar="NAME",
            help="Flat records: the field that is true, or 1, where a record is a state. Without an end it opens.",
        )
        @click.option(
            "--time-unit",
            type=click.Choice(get_args(TimeUnit)),
            help="What a number as a time counts (default s). With it, times are written as numbers too.",
        )
        @click.option(
            "--time-format",
            metavar="FORMAT",
            help="How texts of times are written, like '%d/%m/%Y %H:%M', in the codes of strptime (default ISO 8601).",
        )
        @click.option(
            "--csv",
            "csv_settings",
            cls=Settings,
            metavar="KEY=VALUE...",
            multiple=True,
            help="How CSV is written: delimiter, quote, decimal, encoding, names of columns, header yes or no, empty "
            "(a text that is no value), like --csv delimiter=';' decimal=','. Delimiter and decimal sign are found in "
            "the file where that is safe.",
        )
        @click.option(
            "--xml-types",
            type=click.Choice(["inferred", "string"]),
            default="inferred",
            show_default=True,
            help="Whether text in XML that looks like a number is one.",
        )
        @click.option(
            "--string-field",
            "string_fields",
            metavar="NAME",
            multiple=True,
            help="A column of CSV, or an element or attribute of XML, whose text is a string even if it looks like a "
            "number. May be given several times.",
        )
        @functools.wraps(command)
        def with_layout(
            format_: str | None,
            envelope: Any,
            label_field: str | None,
            label: str | None,
            time_field: str | None,
            end_field: str | None,
            id_field: str | None,
            state_field: str | None,
            time_unit: Any,
            time_format: str | None,
            csv_settings: tuple[str, ...],
            xml_types: Any,
            string_fields: tuple[str, ...],
            **others: Any,
        ) -> R:
            ctx = click.get_current_context()
            if label_field is not None and label is not None:  # what the command line says wins over a file of settings
                label_field = None if is_from_file(ctx, "label_field") else label_field
                label = None if is_from_file(ctx, "label") and label_field is not None else label
            if label_field is not None and label is not None:
                raise UsageError("--label gives all records one label and --label-field a label each; give one of them")
            if envelope is not None and any(
                name is not None for name in (label_field, label, time_field, end_field, id_field, state_field)
            ):
                raise UsageError(
                    f"--layout {envelope} says where label and times are; options about fields do not go with it"
                )
            try:
                times = TimeFormat(time_unit, others["timezone"], time_format)
            except TimeError as error:
                raise UsageError(str(error)) from error
            dialect = csv_dialect(csv_settings)
            strings = frozenset(string_fields)
            layout = Layout(
                label_field,
                time_field,
                end_field,
                id_field,
                label,
                times,
                xml_types,
                format_,
                strings,
                envelope,
                dialect,
                state_field,
            )
            return command(layout=layout, **others)

        return with_layout

    return decorate
