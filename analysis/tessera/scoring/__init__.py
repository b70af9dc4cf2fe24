"""One yardstick for layers: a suite of runs that never changes, the figures of the shipped layers in it, and the card of a layer next to them."""
