"""Python written for plans and rules: functions, and expressions in them."""
