"""What a run left in its folder, read; its figures in words, with what says that they must not be compared."""
