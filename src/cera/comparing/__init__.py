"""Two event types side by side: the shortest history on which they detect different things."""
