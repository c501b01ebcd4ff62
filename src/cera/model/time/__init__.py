"""Time: points and intervals, Allen's relations, durations, clocks, relative timers, times as text."""
