"""What a stream derives, on its way out."""
