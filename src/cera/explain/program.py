"""A program explained: its normalised rules, the events that each reads and derives, dependencies, strata and plan.

Every function returns data that prints as JSON; `text` is the same for a terminal. The command line and a web page show
these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NotRequired, TypedDict, TypeVar

from cera.algebra.correlation_keys import correlation_key
from cera.algebra.plan_notation import period_text
from cera.algebra.translation import translate
from cera.diagnostics import Span
from cera.explain.plan import ExplainedPlan, explain_plan, plan_lines
from cera.languages.text.layout import render
from cera.languages.xchangeeq.printer import Printer, print_construct, print_query_pattern, print_rule
from cera.languages.xchangeeq.rule_syntax import literals_of
from cera.languages.xchangeeq.syntax import Conjunction, DetectHead, Disjunction, Query, RaiseHead, RuleSyntax
from cera.model.events.states import shown_label
from cera.optimizer.push_selections import push_selections
from cera.optimizer.serve_joins import served_by
from cera.rules.analysis.labels_and_attributes import derived_labels, queried_labels
from cera.rules.analysis.strata import dependencies, recursive_components, stratify
from cera.rules.rule import BoundedWindow, Branch, Rule, RuleProgram
from cera.rules.states import written_conditions
from cera.rules.written import written_branch

Item = TypeVar("Item")


class ExplainedQuery(TypedDict):
    """A query of a rule: events that occur, that are gathered, collected over a window, or absent from one."""

    how: Literal["event", "gather", "state", "relation", "collect", "not"]
    query: str
    identifier: NotRequired[str]
    window: NotRequired[str]


class Timer(TypedDict):
    identifier: str
    timer: str


class ExplainedRule(TypedDict):
    name: str
    kind: Literal["detect", "raise"]
    place: str | None
    text: str
    derives: str
    recipient: NotRequired[str]
    transport: NotRequired[str | None]
    reads: list[ExplainedQuery]
    timers: list[Timer]
    branches: int
    grouping: bool
    recursive: bool
    stratum: int
    key: list[str]
    evaluated: NotRequired[str]
    activated_by: NotRequired[str]
    suspended_by: NotRequired[str]
    #: A more general rule, in whose answers those of this one could be looked up.
    served_by: NotRequired[str]


class ExplainedDependency(TypedDict):
    """`rule` queries what `on` derives; `place` is where."""

    rule: str
    on: str
    kind: str
    place: str | None


class Explanation(TypedDict):
    semantics: str
    calendars: list[str]
    declared_sources: list[str] | None
    input_labels: list[str]
    rules: list[ExplainedRule]
    dependencies: list[ExplainedDependency]
    strata: list[list[str]]
    recursion: list[list[str]]
    plan: ExplainedPlan


def explain(program: RuleProgram, *, max_duration: int | None = None, differences: bool = False) -> Explanation:
    """Returns the explanation of a program without errors, before it runs.

    State is bounded as in a run with this `max_duration`, in microseconds; `differences` adds those of the plan.
    """
    strata = stratify(program.rules).strata
    cycles = [[rule.name for rule in component] for component in recursive_components(program.rules)]
    stratum_of = {rule.name: number for number, stratum in enumerate(strata, start=1) for rule in stratum}
    recursive = {name for cycle in cycles for name in cycle}
    served = served_by(push_selections(translate(program)))
    outside = queried_labels(program.rules) - derived_labels(program.rules) - {*program.from_modules}
    return {
        "semantics": program.semantics,
        "calendars": [calendar.name for calendar in program.calendars],
        "declared_sources": None if program.sources is None else list(program.sources),
        "input_labels": sorted({shown_label(label) for label in outside}),
        "rules": [
            explain_rule(
                rule,
                stratum=stratum_of[rule.name],
                recursive=rule.name in recursive,
                served_by=served.get(rule.name),
            )
            for rule in program.rules
        ],
        "dependencies": [
            {"rule": d.rule.name, "on": d.on.name, "kind": d.kind, "place": _place(d.query_span)}
            for d in dependencies(program.rules)
        ],
        "strata": [[rule.name for rule in stratum] for stratum in strata],
        "recursion": cycles,
        "plan": explain_plan(program, max_duration=max_duration, differences=differences),
    }


def explain_rule(rule: Rule, *, stratum: int, recursive: bool, served_by: str | None = None) -> ExplainedRule:
    explained: ExplainedRule = {
        "name": rule.name,
        "kind": "raise" if rule.recipient else "detect",
        "place": _place(rule.span),
        "text": print_rule(as_syntax(rule)),
        "derives": print_construct(rule.head),
        "reads": _distinct(read for branch in rule.branches for read in _reads(branch)),
        "timers": _distinct(timer for branch in rule.branches for timer in _timers(branch)),
        "branches": len(rule.branches),
        "grouping": rule.grouping,
        "recursive": recursive,
        "stratum": stratum,
        "key": list(correlation_key(rule)),
    }
    if rule.activation is not None:
        explained["evaluated"] = rule.activation.time
        explained["activated_by"] = rule.activation.activated_by
        explained["suspended_by"] = rule.activation.suspended_by
    if served_by is not None:
        explained["served_by"] = served_by
    if rule.recipient:
        explained["recipient"] = rule.recipient.address
        explained["transport"] = rule.recipient.transport
    return explained


def _reads(branch: Branch) -> Iterator[ExplainedQuery]:
    for query in branch.events:
        if not query.auxiliary:
            how: Literal["event", "gather", "state"] = "event" if query.kind == "event" else "state"
            how = "gather" if query.identifier in branch.gathered else how
            yield {"how": how, "identifier": query.identifier, "query": print_query_pattern(query.pattern)}
    for rows in branch.relations:
        yield {"how": "relation", "identifier": rows.identifier, "query": print_query_pattern(rows.pattern)}
    for part in branch.accumulations:
        query_text = print_query_pattern(part.pattern)
        yield {"how": "not" if part.negated else "collect", "window": part.window, "query": query_text}


def _timers(branch: Branch) -> Iterator[Timer]:
    for absolute in branch.absolute_timers:
        yield {"identifier": absolute.identifier, "timer": render(Printer().timer(absolute.timer), width=None)}
    for relative in branch.relative_timers:
        yield {"identifier": relative.identifier, "timer": f"{relative.kind}[{relative.anchor}, {relative.duration}]"}
    for window in branch.windows:
        text = str(window.bounds) if isinstance(window, BoundedWindow) else period_text(window.period)
        around = "" if isinstance(window, BoundedWindow) else f" over {', '.join(window.over)}"
        yield {"identifier": window.identifier, "timer": f"window {text}{around}"}


def as_syntax(rule: Rule) -> RuleSyntax:
    """Returns the normalised rule as it would be written: branches as `or`, with names for what had none."""
    branches: list[Query] = [_conjunction(branch) for branch in rule.branches]
    recipient = rule.recipient
    return RuleSyntax(
        RaiseHead(recipient.address, recipient.transport, rule.head) if recipient else DetectHead(rule.head),
        branches[0] if len(branches) == 1 else Disjunction(tuple(branches)),
    )


def _conjunction(branch: Branch) -> Query:
    return Conjunction(tuple(literals_of(written_branch(branch))), written_conditions(branch.conditions))


def text(explanation: Explanation) -> str:
    """Returns the explanation for a person to read."""
    lines = [f"semantics: {explanation['semantics']}"]
    if explanation["calendars"]:
        lines.append(f"calendars: {', '.join(explanation['calendars'])}")
    if explanation["declared_sources"] is not None:
        lines.append(f"declared sources: {', '.join(explanation['declared_sources'])}")
    lines.append(f"labels from outside: {', '.join(explanation['input_labels']) or 'none by name'}")
    for rule in explanation["rules"]:
        lines += ["", *_rule_lines(rule)]
    lines += ["", "strata:"]
    lines += [f"  {number}. {', '.join(stratum)}" for number, stratum in enumerate(explanation["strata"], start=1)]
    lines += ["", "dependencies:" if explanation["dependencies"] else "dependencies: none"]
    for d in explanation["dependencies"]:
        lines.append(f"  {d['rule']} on {d['on']}: {d['kind']}" + (f" ({d['place']})" if d["place"] else ""))
    cycles = [" and ".join(cycle) for cycle in explanation["recursion"]]
    lines += ["", f"recursion: {'; '.join(cycles) or 'none'}"]
    lines += ["", *plan_lines(explanation["plan"])]
    return "\n".join(lines)


def _rule_lines(rule: ExplainedRule) -> list[str]:
    properties = [f"stratum {rule['stratum']}"]
    properties += [f"{rule['branches']} branches"] if rule["branches"] > 1 else []
    properties += ["groups"] if rule["grouping"] else []
    properties += ["recursive"] if rule["recursive"] else []
    lines = [f"rule {rule['name']}" + (f" at {rule['place']}" if rule["place"] else "") + f": {', '.join(properties)}"]
    lines += [f"  {line}" for line in rule["text"].rstrip("\n").split("\n")]
    lines.append(f"  {'sends' if rule['kind'] == 'raise' else 'derives'}: {rule['derives']}")
    if "recipient" in rule:
        transport = rule.get("transport")
        lines.append(f"  to: {rule['recipient']}" + (f" by {transport}" if transport else ""))
    if "evaluated" in rule:
        lines.append(f"  evaluated in: {rule['evaluated']}")
        lines.append(f"  activated by: {rule['activated_by']}")
        lines.append(f"  suspended by: {rule['suspended_by']}")
    for read in rule["reads"]:
        lines.append(f"  reads: {_read_text(read)}")
    for timer in rule["timers"]:
        lines.append(f"  waits for: {timer['identifier']}: {timer['timer']}")
    if "served_by" in rule:
        lines.append(f"  served by: {rule['served_by']}, which joins the same events and asks for less of them")
    key = ", ".join(f"var {name}" for name in rule["key"])
    handed_on = ", if every rule of the recursion hands it on" if rule["recursive"] else ""
    lines.append(f"  key: {key}{handed_on}" if key else "  no key: runs unpartitioned")
    return lines


def _read_text(read: ExplainedQuery) -> str:
    match read["how"]:
        case "event" | "state":
            return f"{read['identifier']}: {read['query']}"
        case "gather":
            return f"all {read['identifier']}: {read['query']}"
        case "relation":
            return f"rows {read['query']}"
        case "collect":
            return f"all {read['query']} while {read['window']}"
        case "not":
            return f"no {read['query']} while {read['window']}"


def _place(span: Span | None) -> str | None:
    return None if span is None else str(span)


def _distinct(items: Iterator[Item]) -> list[Item]:
    found: list[Item] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
