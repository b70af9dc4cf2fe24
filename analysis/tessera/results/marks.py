"""What `tessera.evidence.marks` has, for the demonstration."""

from tessera.evidence.marks import FEW_CLEANINGS, cleaned_too_little

__all__ = ["FEW_CLEANINGS", "cleaned_too_little"]
