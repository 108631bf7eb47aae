"""The development kit's rules; from Python, arrays go in, curves and tables come out."""

from .curves import Curve as Curve
from .curves import Rules as Rules
from .layout import LayoutResult as LayoutResult
from .layout import PersonTruth as PersonTruth
from .layout import layout as layout
from .layout import layout_2007 as layout_2007
from .metrics import Detections as Detections
from .metrics import DetectionTruth as DetectionTruth
from .metrics import Segmentation as Segmentation
from .metrics import count_confusion as count_confusion
from .metrics import detection as detection
from .metrics import ranking as ranking
from .metrics import segmentation as segmentation

classification = action = ranking
"""Both tasks rank a list of labelled items by the same rules."""
