"""The columns of a box, which objects, parts and suggestions share."""

from __future__ import annotations

from sqlalchemy.orm import Mapped, mapped_column

from catalog.box import Box


class Boxed:
    """A box in VOC's integers; PostgreSQL reserves the names xmin and xmax for itself."""

    xmin: Mapped[int] = mapped_column("box_xmin")
    ymin: Mapped[int] = mapped_column("box_ymin")
    xmax: Mapped[int] = mapped_column("box_xmax")
    ymax: Mapped[int] = mapped_column("box_ymax")

    @property
    def box(self) -> Box:
        """The four columns as a Box."""
        return Box(self.xmin, self.ymin, self.xmax, self.ymax)
