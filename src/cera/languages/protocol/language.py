"""The protocol of a language. A new one is a folder with an object that implements it, and a line in `LANGUAGES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from cera.diagnostics import Diagnostic, Source
from cera.languages.protocol.results import Compilation, CompiledModule, CompileOptions, ParsedSource
from cera.rules.rule import RuleProgram

T = TypeVar("T")


class Language(Protocol[T]):
    """A language whose modules have syntax trees of the type T."""

    #: The name in messages, and a shorter one for lists.
    name: str
    short_name: str
    #: The ending of its files, with the dot.
    ending: str
    #: A text that paths of files never contain, so that it marks a text of this language.
    signs: tuple[str, ...] = ()
    #: The word for what its texts define, and for several of them.
    defines: tuple[str, str] = ("rule", "rules")
    #: Whether the rules of all its files are one program, without modules.
    one_program: bool = False
    #: Whether a file may have several modules, each with a name.
    several_modules: bool = False
    #: The name of a text that is one event type, which `compare` takes; None if it has none.
    event_type: str | None = None
    #: The description of it as a target of translations.
    target: Target | None = None
    #: The forms that `translate` can show of its modules, by the names of targets.
    forms: Mapping[str, Form] = MappingProxyType({})

    def claims(self, text: str) -> float:
        """Returns how well a text that is not a file fits, between 0 and 1: by its beginning, or a sign in it.

        If languages claim a text alike, it belongs to the one that can read more of it.
        """
        ...

    def parse(self, source: Source) -> ParsedSource[T]:
        """Reads a source, with or without errors."""
        ...

    def format(self, source: Source) -> str:
        """Returns the source in the canonical layout. Raises ProgramError for what does not parse."""
        ...

    def compile(self, parsed: Sequence[ParsedSource[T]], options: CompileOptions) -> Compilation:
        """Compiles all files of the language together: the modules that run, under the names that they have."""
        ...

    def explain(self, module: CompiledModule[T]) -> Explanation:
        """Returns what `explain` shows of a module that this language has compiled."""
        ...


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
    #: The form with the steps that lead to it, if there are any to show.
    steps: Callable[[CompiledModule[Any]], str] | None = None


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
    #: The writer of normalised rules, if rules of any language can be translated to it.
    rules: Callable[[RuleProgram], RuleText] | None = None
    #: A sentence about that, and examples, for the help of `translate`.
    about: str | None = None
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True)
class RuleText:
    """Rules as a language writes them; with errors for what it cannot say, the text lacks that."""

    text: str
    diagnostics: tuple[Diagnostic, ...] = ()
