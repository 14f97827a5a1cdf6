"""The comparison `numalens.comparison/1`: two or more analyses side by side."""

from numalens.report.compare.build import MAX_ANALYSES, build_comparison
from numalens.report.compare.gather import Recording
from numalens.report.compare.shapes import SCHEMA, Comparison

__all__ = ["MAX_ANALYSES", "SCHEMA", "Comparison", "Recording", "build_comparison"]
