"""Parameter files of the DiskSim simulator, read into drive descriptions."""
