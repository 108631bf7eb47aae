"""The orders in which real releases write the children of each element.

The development kit's reader does not mind the order, and neither do other readers; but a release is
easiest to trust when it looks like the ones that people know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class VocStyle:
    """The order of the children of each element, by its tag; two styles are never equal."""

    orders: Mapping[str, tuple[str, ...]]


def _make_style(base: VocStyle | None = None, **orders: str) -> VocStyle:
    own = {tag: tuple(tags.split()) for tag, tags in orders.items()}
    return VocStyle({**base.orders, **own} if base else own)


STYLE_2007 = _make_style(
    annotation="folder filename source owner size segmented object",
    source="database annotation image flickrid",
    owner="flickrid name",
    size="width height depth",
    object="name pose truncated occluded difficult bndbox part actions point",
    part="name bndbox",
    bndbox="xmin ymin xmax ymax",
    point="x y",
)
"""As the release of 2007; occluded, actions and point did not exist then."""

STYLE_2008 = _make_style(
    STYLE_2007, object="name pose truncated occluded bndbox difficult part actions point"
)
"""As the images of 2008."""

STYLE_2012 = _make_style(
    STYLE_2007,
    annotation="filename folder object owner segmented size source",
    source="annotation database flickrid image",
    size="depth height width",
    object="name actions bndbox difficult occluded part pose point truncated",
    bndbox="xmax xmin ymax ymin",
)
"""As the images of 2009 to 2012: alphabetical, but for an object's name, which comes first, and for
pose before point. Where part stood is not known; here it is in its alphabetical place."""
