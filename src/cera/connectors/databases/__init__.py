"""Changes of tables as events: triggers write them into a change table, and readers take them from there."""
