"""Snoop programs that are right, from their text."""

from __future__ import annotations

from cera.diagnostics import Source
from cera.instances.events.module import EventTypeModule
from cera.languages.snoop.compiler import instance_module
from cera.languages.snoop.parser import parse
from cera.languages.snoop.syntax import Program


def read(text: str) -> Program:
    parsed = parse(Source("test.snoop", text))
    assert not parsed.diagnostics, parsed.diagnostics[0]
    return parsed.program


def module(text: str) -> EventTypeModule:
    found, diagnostics = instance_module(read(text), "M")
    assert found is not None, diagnostics[0]
    return found
