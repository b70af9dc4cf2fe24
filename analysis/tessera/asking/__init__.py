"""Questions that architects have, each answered in a sentence with a figure and an interval."""
