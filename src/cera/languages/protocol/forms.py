"""The forms in which modules can be shown: by `explain`, and as the text of another language by `translate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cera.languages.protocol.compiled import CompiledModule


@dataclass(frozen=True)
class Explanation:
    """A module as `explain` shows it: in which form, the text, and a line for each thing that it remembers, if it is
    known what that is."""

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
    """How the modules of a language are written in another one, or again in their own.

    The texts are for the help of `translate`: `subject` is what has the form ("modules of EPL"), `parts` is what is
    shown ("EPL modules"). A language that is its own target has neither.
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
    #: What is shown: "the event types" of something.
    shown: str
    #: What a module with this form has: "event types".
    having: str
    #: What is said of a module without it; `{}` is the name of the module.
    refusal: str
    #: Why several modules are not one text, if they are not.
    one_only: str | None = None
