"""StreamLog: bids counted in auctions and averages of every hour, beside the same by hand."""
