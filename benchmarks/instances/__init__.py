"""Complex event types over orders, beside the chronicle context written by hand."""
