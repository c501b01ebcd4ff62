"""From files and a user's DataFrames to tables of events, with what was rejected and why."""
