"""The forms in which modules can be shown: by `explain`, and as the text of another language by `translate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cera.languages.protocol.results import CompiledModule


@dataclass(frozen=True)
class Explanation:
    """A module as `explain` shows it: the form, the text, and a line for the state of each part, if that is known."""

    form: str
    text: str
    remembers: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Example:
    """A file to translate, for the help of `translate`: the module of it that is enabled, if not all are, and the file
    that the translation is written to, if it is kept."""

    file: str
    enabled: str | None = None
    kept: str | None = None


@dataclass(frozen=True)
class Form:
    """The way in which the modules of a language are written in another one, or again in their own.

    The texts are for the help of `translate`: `subject` has the form ("modules of EPL"), `parts` are shown ("EPL
    modules"). A language that is its own target has neither.
    """

    text: Callable[[CompiledModule[Any]], str]
    subject: str | None = None
    parts: str | None = None
    about: str | None = None
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class Target:
    """A language as one that others are translated to."""

    name: str
    #: The parts that are shown: "the event types" of something.
    shown: str
    #: The parts of a module with this form: "event types".
    having: str
    #: The message for a module without it; `{}` is the name of the module.
    refusal: str
    #: Why several modules cannot be one text, if so.
    one_only: str | None = None
