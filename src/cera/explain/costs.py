"""Estimated costs, as data that prints as JSON and as text: what they rest on, and what was chosen by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NotRequired, TypedDict

from cera.model.events.rates import ASSUMED, DISTINCT, IN_USE, PER_SECOND, SECONDS, Rates
from cera.model.time.durations import Duration, format_duration
from cera.optimizer.semantic.choice import Alternative, Choice
from cera.optimizer.semantic.estimates import CostModel, Figures, figures
from cera.rules.rule import RuleProgram
from cera.wording import Setting

_CHEAPER: dict[CostModel, str] = {"state": "less state", "work": "less work", "latency": "sooner answers"}


class ExplainedFigures(TypedDict):
    """Tuples in state, tuples of work in a second, and seconds until an answer."""

    state: float
    work: float
    latency: float


class ExplainedAlternative(TypedDict):
    left_out: list[str]
    figures: ExplainedFigures


class ExplainedChoice(TypedDict):
    """What a rule costs as it is written, and as it runs; what was left out of the laws, and other alternatives."""

    written: ExplainedFigures
    chosen: ExplainedAlternative
    others: list[ExplainedAlternative]


class CostsOfRule(TypedDict):
    """What a rule is estimated to cost; `unordered` is with the joins in the order of the text, if that differs."""

    rule: str
    choice: ExplainedChoice
    unordered: NotRequired[ExplainedFigures]


class ExplainedCosts(TypedDict):
    estimates: EstimateBasis
    rules: list[CostsOfRule]


class EstimateBasis(TypedDict):
    """What estimates rest on: the file of rates, null if all is assumed, and the model, if one is chosen by."""

    rates: str | None
    seconds: float
    model: NotRequired[CostModel]


def basis_of(rates: Rates | None, model: CostModel | None) -> EstimateBasis | None:
    """Returns what estimates rest on; None if there are none."""
    if rates is None and model is None:
        return None
    basis: EstimateBasis = {
        "rates": None if rates is None else rates.origin,
        "seconds": SECONDS if rates is None else rates.seconds,
    }
    if model is not None:
        basis["model"] = model
    return basis


def explain_costs(program: RuleProgram, choices: Sequence[Choice], basis: EstimateBasis) -> ExplainedCosts:
    """Returns what the rules of a program that runs are estimated to cost."""
    rates = ASSUMED if program.rates is None else program.rates
    found: list[CostsOfRule] = []
    for choice in choices:
        rule = choice.chosen.rewritten.rule
        explained: CostsOfRule = {
            "rule": choice.chosen.rewritten.original.name,
            "choice": explain_choice(choice),
        }
        unordered = _figures(figures(rule, program, rates, without=("order-joins",)))
        if unordered != explained["choice"]["chosen"]["figures"]:
            explained["unordered"] = unordered
        found.append(explained)
    return {"estimates": basis, "rules": found}


def cost_lines(costs: ExplainedCosts) -> Iterator[str]:
    """Yields the costs of rules for a person to read."""
    yield "costs:"
    for each in costs["rules"]:
        first, *others = choice_lines(each["choice"], costs["estimates"])
        yield f"  {each['rule']}, {first}"
        yield from (f"    {line}" for line in others)
        if "unordered" in each:
            work, state = _number(each["unordered"]["work"]), _number(each["unordered"]["state"])
            yield f"    joins in the order of the text: {state} tuples in state; work {work}/s"
    yield from (f"  {line}" for line in basis_lines(costs["estimates"]))


def explain_choice(choice: Choice) -> ExplainedChoice:
    first, *others = map(_alternative, choice.alternatives)
    return {"written": _figures(choice.plain), "chosen": first, "others": others}


def _alternative(alternative: Alternative) -> ExplainedAlternative:
    return {"left_out": list(alternative.left_out), "figures": _figures(alternative.figures)}


def _figures(figures: Figures) -> ExplainedFigures:
    return {"state": _digits(figures.state), "work": _digits(figures.work), "latency": _digits(figures.latency)}


def _digits(number: float) -> float:
    return float(f"{number:.3g}")


def basis_lines(basis: EstimateBasis) -> Iterator[str]:
    """Yields what the estimates rest on."""
    span = format_duration(Duration(0, round(basis["seconds"]) * 1_000_000))
    if basis["rates"] is not None:
        yield f"estimates: by {basis['rates']}, for events of {span}; values are taken to be equally frequent"
    else:
        yield (
            f"estimates: without rates, {PER_SECOND:g} event a second of each label, {DISTINCT:g} values of each "
            f"attribute, each in use for {format_duration(Duration(0, round(IN_USE) * 1_000_000))}, for {span}"
        )
    if "model" not in basis:
        yield f"all laws that apply are used; {Setting.COST} leaves out what costs more than it saves"


def choice_lines(choice: ExplainedChoice, basis: EstimateBasis | None) -> Iterator[str]:
    """Yields what a rule is estimated to cost, and what was left out for that."""
    before, after = choice["written"], choice["chosen"]["figures"]
    parts = [
        f"{_number(after['state'])} tuples in state{_instead(_number(after['state']), _number(before['state']))}",
        f"work {_number(after['work'])}/s{_instead(_number(after['work']), _number(before['work']))}",
        f"an answer after {_time(after['latency'])}{_instead(_time(after['latency']), _time(before['latency']))}",
    ]
    yield f"estimated: {'; '.join(parts)}"
    model = None if basis is None else basis.get("model")
    if model is not None and choice["chosen"]["left_out"]:
        yield f"left out, for {_CHEAPER[model]}: {'; '.join(choice['chosen']['left_out'])}"


def _instead(now: str, before: str) -> str:
    return "" if now == before else f" instead of {before}"


def _number(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"


def _time(seconds: float) -> str:
    return format_duration(Duration(0, round(seconds * 1000) * 1000))
