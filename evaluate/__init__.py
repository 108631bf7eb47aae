"""The development kit: participants' results scored by VOC's own rules.

The same functions serve Python: arrays in, curves and tables out.
"""

from .curves import Curve as Curve
from .curves import Rules as Rules
from .detection import Detections as Detections
from .detection import DetectionTruth as DetectionTruth
from .detection import detection as detection
from .layout import LayoutResult as LayoutResult
from .layout import PersonTruth as PersonTruth
from .layout import layout as layout
from .layout import layout_2007 as layout_2007
from .ranking import ranking as ranking
from .segmentation import Segmentation as Segmentation
from .segmentation import count_confusion as count_confusion
from .segmentation import segmentation as segmentation

classification = action = ranking
"""Both tasks rank a list of labelled items by the same rules."""
