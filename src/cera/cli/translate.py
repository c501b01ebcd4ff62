"""`cera translate`: a program in another language or form."""

from __future__ import annotations

import json
from collections.abc import Callable
from textwrap import indent

import click

from cera.cli import report
from cera.cli.derive import derived
from cera.cli.options import program_options
from cera.connectors.line_writer import write_output
from cera.constraints.translation.layers import all_rules
from cera.errors import ProgramError, UsageError
from cera.explain.modules import explain_modules, module_lines
from cera.explain.plan import plan_lines
from cera.explain.program import explain
from cera.languages.programs import ProgramModule
from cera.languages.protocol.language import Example, Form, RuleText, Target
from cera.languages.registry import LANGUAGES
from cera.program import Program
from cera.rules.rule import RuleProgram
from cera.wording import on_command_line

#: What programs can be translated to, by name.
TARGETS = {language.target.name: language.target for language in LANGUAGES if language.target is not None}

#: The forms that every program has.
PLAN, JSON, CONSTRAINTS = "plan", "json", "escl"
_OF_EVERY_PROGRAM = {
    CONSTRAINTS: "the constraints that follow from automata and rules, as `cera derive` prints them",
    PLAN: "the plans that run, as `cera explain` shows them",
    JSON: "all that `cera explain` knows of the program, for tools; automata as JSON that can be read again",
}


def _forms(target: Target) -> list[Form]:
    """Returns the forms that languages have in a target."""
    return [language.forms[target.name] for language in LANGUAGES if target.name in language.forms]


def _target_help(target: Target) -> str:
    parts = [form.parts for form in _forms(target) if form.parts is not None]
    return f"{target.name}: {target.shown}{' of ' if parts else ''}{', and of '.join(parts)}"


def _help() -> str:
    forms = [form for target in TARGETS.values() for form in _forms(target)]
    abouts = [*(form.about for form in forms), *(target.about for target in TARGETS.values())]
    about = " ".join(["Prints what the FILEs become in another form.", *(each for each in abouts if each is not None)])
    examples = [
        f"  {_command(example, target)}"
        for target in TARGETS.values()
        for example in (*target.examples, *(each for form in _forms(target) for each in form.examples))
    ]
    examples += [f"  cera translate FILE --to {form}" for form in _OF_EVERY_PROGRAM]
    return "\n".join([about, "", "\b", "Examples:", *examples])


def _command(example: Example, target: Target) -> str:
    enabled = "" if example.enabled is None else f" --enable {example.enabled}"
    kept = "" if example.kept is None else f" > {example.kept}"
    return f"cera translate {example.file}{enabled} --to {target.name}{kept}"


@click.command("translate", short_help="Show what a program becomes.", help=_help())
@program_options
@click.option(
    "--to",
    "form",
    type=click.Choice([*TARGETS, *_OF_EVERY_PROGRAM]),
    required=True,
    help="; ".join(
        [*map(_target_help, TARGETS.values()), *(f"{form}: {shown}" for form, shown in _OF_EVERY_PROGRAM.items())]
    )
    + ".",
)
@click.option("--steps", "with_steps", is_flag=True, help="Show the steps of the normalisation too, with --to clauses.")
def translate(program: Program, form: str, with_steps: bool) -> None:
    program.checked()
    stepped = any(each.steps is not None for each in _forms(TARGETS[form])) if form in TARGETS else False
    if with_steps and not stepped:
        raise UsageError(f"--to {form} has no steps to show")
    report.show_diagnostics(program.diagnostics)
    if form == CONSTRAINTS:
        write_output(derived(program))
        return
    if form in _OF_EVERY_PROGRAM:
        own = _own_json(program) if form == JSON else None
        write_output(_explained(program, form) + "\n" if own is None else own)
        return
    found = program.modules.found
    target = TARGETS[form]
    if target.rules is not None:
        write_output(_rules_in(target, target.rules, program))
        return
    if not found:
        raise UsageError(f"only {_with_a_form(target)}, and there is none in the program")
    if target.one_only is not None and len(found) > 1:
        raise UsageError(target.one_only)
    write_output("\n".join(translation(each, form, steps=with_steps) for each in found))


def _own_json(program: Program) -> str | None:
    """Returns the modules as the JSON of their language, which it reads too; None if one of them has none."""
    texts = [each.text(JSON) for each in program.modules.found]
    found = [each for each in texts if each is not None]
    if not found or len(found) < len(texts) or program.checked().rules:
        return None
    return found[0] if len(found) == 1 else "[\n" + ",\n".join(indent(each.rstrip(), "  ") for each in found) + "\n]\n"


def _explained(program: Program, form: str) -> str:
    """Returns the plans of rules and what modules become, as text or as JSON."""
    explanation = explain(all_rules(program.checked(), program.layers.modules))
    modules = explain_modules(program.modules.found, program.layers)
    if form == JSON:
        return json.dumps({**explanation, **({"modules": modules} if modules else {})}, indent=2, ensure_ascii=False)
    lines = plan_lines(explanation["plan"]) if explanation["rules"] or not modules else []
    return on_command_line("\n".join([*lines, *([""] if lines and modules else []), *module_lines(modules)]))


def _rules_in(target: Target, write: Callable[[RuleProgram], RuleText], program: Program) -> str:
    """Returns the rules of a program in another rule language."""
    others = [each for each in program.modules.found if not each.language.one_program]
    if others:
        raise UsageError(target.refusal.format(others[0].module.name))
    written = write(program.checked())
    if written.diagnostics:
        raise ProgramError(written.diagnostics)
    return written.text


def _with_a_form(target: Target) -> str:
    """Returns which modules have the form, like `modules of A, and B, have a translation`."""
    subjects = [form.subject for form in _forms(target) if form.subject is not None]
    if not subjects:
        return f"modules have {target.having}"
    return f"{', and '.join(subjects)}{', have' if len(subjects) > 1 else ' has'} {target.having}"


def translation(module: ProgramModule, form: str, *, steps: bool = False) -> str:
    """Returns the module as it stands in a file of the language that it is translated to."""
    text = module.text(form, steps=steps)
    if text is None:
        raise UsageError(TARGETS[form].refusal.format(module.module.name))
    return text
