"""Partitioned modules that keep something of every value of the attribute for ever (EP504).

The next event of a value may come at any time, so what a rule remembers of its history stays until then, unless
`within` says until when it is of use.
"""

from __future__ import annotations

from collections.abc import Iterator

from cera.datalog.copies import without_copies
from cera.datalog.forgetting import kept_for_ever
from cera.datalog.normal import normal_rules
from cera.datalog.stage_numbers import stage_numbers
from cera.diagnostics import Diagnostic
from cera.languages.epl.naming import with_variables
from cera.languages.epl.printer import label_text
from cera.languages.epl.syntax import Module, Rule
from cera.languages.epl.translation import program_of, translate


def kept_histories(module: Module) -> Iterator[Diagnostic]:
    """Notes the first rule of a partitioned module because of which histories are never forgotten."""
    if module.partition is None:
        return
    rule = next((each for each in module.rules if _keeps(each, module)), None)
    if rule is not None:
        attribute = label_text(module.partition)
        message = f"the rule `{rule.name.name}` remembers something of every value of `{attribute}` for ever"
        hint = "with `within` around its sequences a value is forgotten some time after its last event"
        yield Diagnostic("EP504", "note", message, rule.name.span, hint)


def _keeps(rule: Rule, module: Module) -> bool:
    translated = translate(with_variables(rule).event, module.monitored, rule.context, copies=False)
    rules, _ = without_copies(list(normal_rules(program_of([translated]))))
    return not set(kept_for_ever(rules)) <= set(stage_numbers(rules, [translated.predicate]))
