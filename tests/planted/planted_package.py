"""For pytest -p: the Python package is that of PYTHONPATH, not that to which an editable installation leads."""

import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if not getattr(type(finder), "__module__", "").startswith("_editable_")]
