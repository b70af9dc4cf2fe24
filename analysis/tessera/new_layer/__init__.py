"""`tessera new-layer`: a translation layer that works, as a place to begin."""
