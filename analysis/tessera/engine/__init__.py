"""The simulator as Python sees it: found, asked, run, and what one run of it simulates."""
