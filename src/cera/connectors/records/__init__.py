"""From a record of any source to an event: layouts, changes of tables, rows of Python, acceptance of events."""
