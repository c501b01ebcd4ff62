"""Datalog_1S programs over events: histories cut into stages, facts told as detections."""
