"""The formats of files: JSON lines, JSON, CSV, XML, and their compression."""
