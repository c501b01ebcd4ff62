"""The protocol of a language. A new one is a folder with an object that implements it, and a line in `LANGUAGES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeVar

from cera.diagnostics import Source
from cera.languages.protocol.forms import Explanation, Form, Target
from cera.languages.protocol.results import Compiled, CompiledModule, CompileOptions, Parsed

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

    def parse(self, source: Source) -> Parsed[T]:
        """Reads a source, with or without errors."""
        ...

    def format(self, source: Source) -> str:
        """Returns the source in the canonical layout. Raises ProgramError for what does not parse."""
        ...

    def compile(self, parsed: Sequence[Parsed[T]], options: CompileOptions) -> Compiled:
        """Compiles all files of the language together: the modules that run, under the names that they have."""
        ...

    def explain(self, module: CompiledModule[T]) -> Explanation:
        """Returns what `explain` shows of a module that this language has compiled."""
        ...
