"""The texts of actions: printf, SQL statements, calls of programs, and a check for data that would run as code."""
