"""The automata of files that are used: `use "parcel.ihta";`."""

from __future__ import annotations

from pathlib import Path

from cera.diagnostics import Diagnostic, Note, Source, Span
from cera.languages.ihta.parser import parse
from cera.languages.ihta.syntax import AutomatonText, Program, Use
from cera.languages.protocol.results import is_file


class UsedFiles:
    """The automata of the files that a file uses, and of those that they use. Each is read once."""

    def __init__(self, source: Source) -> None:
        self._own = Path(source.name).resolve() if is_file(source) else None
        self._folder = Path(source.name).parent if is_file(source) else Path()
        self._known: dict[str, AutomatonText] = {}
        self._seen: set[Path] = set()
        self.problems: list[Diagnostic] = []

    def find(self, name: str) -> AutomatonText | None:
        """Returns the automaton with a name."""
        return self._known.get(name)

    def read(self, program: Program) -> None:
        """Reads the files that a program uses."""
        way = () if self._own is None else (self._own,)
        for use in program.uses:
            self._read(use, self._folder, way)

    def _read(self, use: Use, folder: Path, way: tuple[Path, ...]) -> None:
        path = folder / use.path
        known = path.resolve()
        if known in way:
            names = " -> ".join(each.name for each in (*way[way.index(known) :], known))
            self._error("a file uses itself", use.span, f"{names}: leave one of them out")
            return
        if known in self._seen:
            return
        self._seen.add(known)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            hint = f"the path begins where the file with `use` is: {folder}" if str(folder) != "." else None
            self._error(f'the file "{use.path}" cannot be read: {reason}', use.span, hint)
            return
        parsed = parse(Source(str(path), text))
        self.problems += parsed.diagnostics
        for each in parsed.program.automata:
            self._add(each, use)
        for inner in parsed.program.uses:
            self._read(inner, path.parent, (*way, known))

    def _add(self, automaton: AutomatonText, use: Use) -> None:
        first = self._known.setdefault(automaton.header.name, automaton)
        if first is not automaton:
            notes = (Note("the first is here", first.header.span), Note("and the other here", automaton.header.span))
            message = f"the files that are used have two automata `{automaton.header.name}`"
            self._error(message, use.span, "rename one of them", *notes)

    def _error(self, message: str, span: Span | None, hint: str | None, *notes: Note) -> None:
        self.problems.append(Diagnostic("IH105", "error", message, span, hint, notes))
