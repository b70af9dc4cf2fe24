"""Waveforms of a run: made, looked through, chosen from, converted, opened."""
