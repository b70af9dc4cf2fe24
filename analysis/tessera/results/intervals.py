"""What `tessera.evidence.intervals` has, for comparisons."""

from tessera.evidence.intervals import Estimate, beyond_rounding, of_mean, student_t, student_t_975

__all__ = ["Estimate", "beyond_rounding", "of_mean", "student_t", "student_t_975"]
