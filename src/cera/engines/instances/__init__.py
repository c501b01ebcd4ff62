"""Complex event types over events: histories cut into stages, instances told as detections."""
