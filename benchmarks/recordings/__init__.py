"""What `cera run … --out` takes over recordings, measured from outside of the process."""
