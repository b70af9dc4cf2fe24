"""Reports: one self-contained HTML file of a run, a comparison or a sweep."""

from tessera.reports.report import write_report

__all__ = ["write_report"]
