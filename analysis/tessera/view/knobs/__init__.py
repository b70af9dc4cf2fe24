"""Sliders over one drive: each position is a run, and the tail of its latency is redrawn as they move."""
