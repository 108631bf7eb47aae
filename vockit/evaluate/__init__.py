"""The development kit's rules; from Python, arrays go in, curves and tables come out."""

from .curves import Curve, Rules
from .layout import LayoutResult, PersonTruth, layout, layout_2007
from .metrics import (
    Detections,
    DetectionTruth,
    Segmentation,
    count_confusion,
    detection,
    ranking,
    segmentation,
)

classification = action = ranking
"""Both tasks rank a list of labelled items by the same rules."""

__all__ = [
    "Curve",
    "DetectionTruth",
    "Detections",
    "LayoutResult",
    "PersonTruth",
    "Rules",
    "Segmentation",
    "action",
    "classification",
    "count_confusion",
    "detection",
    "layout",
    "layout_2007",
    "ranking",
    "segmentation",
]
