"""The texts of actions: printf, SQL statements, calls of programs, and which of them would run data as code."""
