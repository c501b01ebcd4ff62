"""Datalog_1S programs over events: a history for each key, cut into stages; facts become detections."""
