"""Datalog_1S programs over events: a history for each key, divided into stages; facts become detections."""
