"""Consumption modes by name: which instances of a component's type are gone after an event."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cera.instances.consumptions.consumption import Consumption
from cera.instances.consumptions.exclusive import exclusive
from cera.instances.consumptions.exclusive_parameter import exclusive_parameter
from cera.instances.consumptions.shared import shared
from cera.instances.types import ConsumptionName

__all__ = ["CONSUMPTIONS", "Consumption"]

CONSUMPTIONS: Mapping[ConsumptionName, Consumption] = MappingProxyType(
    {"shared": shared, "exclusive parameter": exclusive_parameter, "exclusive": exclusive}
)
