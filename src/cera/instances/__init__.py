"""Complex event types: event condition, instance selection and instance consumption (seed 004)."""
