"""Modules of any language, and what runs each kind of them."""

from __future__ import annotations

from typing import assert_never

from cera.datalog.modules import EventModule
from cera.engines.instances.processor import InstanceProcessor, InstanceState
from cera.engines.stagewise.processor import ModuleProcessor, ModuleState
from cera.instances.types import InstanceModule

Module = EventModule | InstanceModule
Processing = ModuleProcessor | InstanceProcessor
Processed = ModuleState | InstanceState


def processor_of(module: Module, *, timezone: str = "UTC") -> Processing:
    match module:
        case EventModule():
            return ModuleProcessor(module, timezone=timezone)
        case InstanceModule():
            return InstanceProcessor(module, timezone=timezone)
        case other:
            assert_never(other)


def ticks(module: Module) -> bool:
    """Whether something can happen in it although nothing occurs."""
    return isinstance(module, InstanceModule) and module.ticks
