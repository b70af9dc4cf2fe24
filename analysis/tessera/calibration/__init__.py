"""What the firmware's named operations cost in core cycles, measured on its images."""
