"""What is measured: sequences with a key in Snoop's contexts, as users write them.

The key is said in two ways: by a condition, or by dividing the history.
"""

from __future__ import annotations

from collections.abc import Mapping

CONTEXTS = ("recent", "chronicle", "continuous", "cumulative")

_TWO = (
    "{context} order ; payment{where}\n"
    "  as found(customer: payment.customer, first: order.number, last: payment.number)"
)
_THREE = (
    "{context} order ; payment ; delivery{where}\n"
    "  as found(customer: delivery.customer, first: order.number, next: payment.number, third: delivery.number)"
)
#: The chronicle context of three types at once: two that wait, and nothing is bound before the third comes.
_FLAT = (
    ";(first: order, first: payment, delivery){where}\n"
    "  as found(customer: delivery.customer, first: order.number, next: payment.number, third: delivery.number);"
)
_KEYS = {
    _TWO: "order.customer = payment.customer",
    _THREE: "order.customer = payment.customer and payment.customer = delivery.customer",
    _FLAT: "order.customer = payment.customer and payment.customer = delivery.customer",
}


def _texts(form: str, context: str, within: str = "") -> dict[str, str]:
    by_condition = form.format(context=context, where=f"\n  where {_KEYS[form]}{within}")
    divided = form.format(context=context, where=within)
    return {"where": f"Found := {by_condition}\n", "partition": f"partition by customer;\nFound := {divided}\n"}


#: Without an end, every pair that there ever was is an event of the unrestricted context.
_HOUR = "\n  within 1 hour"

#: The text of each program, by its name and by how the key is said; the ending tells the language.
PROGRAMS: Mapping[str, Mapping[str, str]] = {
    **{f"two {context}.snoop": _texts(_TWO, context) for context in CONTEXTS},
    "two unrestricted, 1 hour.snoop": _texts(_TWO, "unrestricted", _HOUR),
    **{f"three {context}.snoop": _texts(_THREE, context) for context in CONTEXTS},
    "three unrestricted, 1 hour.snoop": _texts(_THREE, "unrestricted", _HOUR),
    "three chronicle.cet": _texts(_FLAT, "chronicle"),
}
