"""Modules of any language, and what runs each kind of them."""

from __future__ import annotations

from typing import assert_never

from cera.datalog.events import detections as facts
from cera.datalog.events.processor import ModuleProcessor, ModuleState
from cera.datalog.modules import EventModule
from cera.instances import detections as instances
from cera.instances.events.processor import InstanceProcessor, InstanceState
from cera.instances.types import InstanceModule

Module = EventModule | InstanceModule
Processing = ModuleProcessor | InstanceProcessor
Processed = ModuleState | InstanceState
Detected = facts.Detection | instances.Detection


def processor_of(module: Module, *, timezone: str = "UTC") -> Processing:
    match module:
        case EventModule():
            return ModuleProcessor(module, timezone=timezone)
        case InstanceModule():
            return InstanceProcessor(module, timezone=timezone)
        case other:
            assert_never(other)


def identity_of(module: Module) -> Module:
    """What a saved state of a module belongs to."""
    return module.in_any_order if isinstance(module, InstanceModule) else module
