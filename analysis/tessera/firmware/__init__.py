"""Firmware images: which there are, what is in them, how they are built."""
