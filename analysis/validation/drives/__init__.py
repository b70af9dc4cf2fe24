"""Drives of the model held against drives that were measured."""
