"""What may be compared, and how sure it is: intervals, ratios, families of comparisons, marks and verdicts. Nothing else decides."""
