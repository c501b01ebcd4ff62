"""Changes of tables as events: triggers write them into a change table, and readers read them from there."""
