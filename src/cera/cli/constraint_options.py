"""--constraints: what the stream is trusted to satisfy; --rates and --cost: what is chosen by."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from cera.constraints.derivation.derived import SUPPOSITIONS, Supposition
from cera.constraints.module import ConstraintModule
from cera.optimizer.semantic.estimates import COST_MODELS, CostModel
from cera.program import Program, estimating, trusting, verifying

R = TypeVar("R")


def constraints_option(command: Callable[..., R], *, required: bool = False) -> Callable[..., R]:
    """Decorates a command with --constraints, --law, --without-law, --rates and --cost; stands below
    `program_options`."""

    @click.option(
        "--constraints",
        metavar="FILE",
        multiple=True,
        required=required,
        type=click.Path(path_type=Path),
        help="Constraints that the stream is trusted to satisfy, or automata from which some follow: rules are "
        "rewritten by them, which changes no answer on such a stream. May be given several times.",
    )
    @click.option(
        "--law",
        "only_laws",
        metavar="LAW",
        multiple=True,
        help="The only law that is used in rewriting, by its name, as `cera optimize` shows it. May be given several "
        "times.  [default: all laws]",
    )
    @click.option(
        "--without-law",
        "without_laws",
        metavar="LAW",
        multiple=True,
        help="A law that is not used in rewriting, by its name, as `cera optimize` shows it.",
    )
    @click.option(
        "--supposing",
        type=click.Choice(SUPPOSITIONS),
        multiple=True,
        help="What is so of the stream besides that automata among --constraints accept it; what follows from these "
        "is used if it supposes no more. As for `cera derive`; may be given several times.",
    )
    @click.option(
        "--rates",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="How often events come, as `cera sample` writes it: joins are ordered and costs estimated by it. No "
        "answer depends on it.",
    )
    @click.option(
        "--cost",
        type=click.Choice(COST_MODELS),
        help="Leave out of the laws what --rates say costs more than it saves: tuples in state, work in a second, or "
        "time until an answer. Without --rates all labels are assumed to be alike; without --cost all laws are used.",
    )
    @functools.wraps(command)
    def with_constraints(
        program: Program,
        constraints: tuple[Path, ...],
        only_laws: tuple[str, ...],
        without_laws: tuple[str, ...],
        supposing: tuple[Supposition, ...],
        rates: Path | None,
        cost: CostModel | None,
        **others: Any,
    ) -> R:
        program = trusting(program, constraints, without_laws, supposing, only_laws=only_laws)
        if rates is not None or cost is not None:
            program = estimating(program, rates, cost)
        return command(program=program, **others)

    return with_constraints


def trust_option(command: Callable[..., R]) -> Callable[..., R]:
    """Decorates a command with --trust and --verify; stands below `constraints_option`."""

    @click.option(
        "--trust/--verify",
        "trusts",
        default=True,
        help="Rely on --constraints, or check them beside the rules: these then run as they are, nothing is early and "
        "nothing is dropped, and what violates a constraint is an event `violation`.  [default: --trust]",
    )
    @functools.wraps(command)
    def with_trust(program: Program, trusts: bool, **others: Any) -> R:
        return command(program=program if trusts else verifying(program), **others)

    return with_trust


def relying_on(program: Program, module: ConstraintModule, constraint: str) -> Iterator[str]:
    """Yields what rewritings would have relied on a constraint of a file: the law and the rule."""
    clauses = [clause for clause in module.clauses if clause.constraint == constraint]
    for each in program.rewritten.rules:
        relying = (one.law for one in each.rewritings if any(clause in clauses for clause in one.clauses))
        for law in dict.fromkeys(relying):
            yield f"{law} in {each.original.name}"


#: The same, for a command that is about nothing else.
constraints_needed = functools.partial(constraints_option, required=True)
