"""What every engine gives back for a recorded stream."""
