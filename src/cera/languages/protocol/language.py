"""The protocol of a language. A new one is a folder with an object that has it, and a line in `LANGUAGES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeVar

from cera.diagnostics import Source
from cera.languages.protocol.compiled import Compiled, CompiledModule, CompileOptions
from cera.languages.protocol.forms import Explanation, Form, Target
from cera.languages.protocol.parsed import Parsed

T = TypeVar("T")


class Language(Protocol[T]):
    """A language whose modules have syntax trees of the type T."""

    #: As messages call it, and a shorter one for lists.
    name: str
    short_name: str
    #: What its files end in, with the dot.
    ending: str
    #: What the path of a file never has, so that it is a text of this language.
    signs: tuple[str, ...] = ()
    #: Whether the rules of all its files are one program, without modules.
    one_program: bool = False
    #: Whether a file may have several modules, each with a name.
    several_modules: bool = False
    #: How a text of it is called that is one event type, which `compare` takes; None if it has none.
    event_type: str | None = None
    #: As what it is a target of translations.
    target: Target | None = None
    #: What `translate` can show of its modules, by the names of targets.
    forms: Mapping[str, Form] = MappingProxyType({})

    def claims(self, text: str) -> float:
        """Returns how well a text that is not a file fits, between 0 and 1: by how it begins, or a sign in it.

        Of languages that claim a text alike, it is in the one that can read more of it.
        """
        ...

    def parse(self, source: Source) -> Parsed[T]:
        """Reads a source, whatever it is."""
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
