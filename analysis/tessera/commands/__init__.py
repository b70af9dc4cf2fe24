"""The commands of `tessera`, a file each."""
