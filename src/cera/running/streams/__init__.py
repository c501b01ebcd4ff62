"""Streams as they are asked for and followed. Below the engines: what runs for hours reports by itself."""
