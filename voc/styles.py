"""The orders in which real releases write the children of each element.

The development kit's reader does not mind the order, and neither do other readers; but a release is
easiest to trust when it looks like the ones that people know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, eq=False)
class VocStyle:
    """The order of the children of each element, by tag; one is like itself alone."""

    image: tuple[str, ...]
    source: tuple[str, ...]
    owner: tuple[str, ...]
    size: tuple[str, ...]
    object: tuple[str, ...]
    part: tuple[str, ...]
    box: tuple[str, ...]
    point: tuple[str, ...] = ("x", "y")


def _order(tags: str) -> tuple[str, ...]:
    return tuple(tags.split())


STYLE_2007 = VocStyle(
    image=_order("folder filename source owner size segmented object"),
    source=_order("database annotation image flickrid"),
    owner=_order("flickrid name"),
    size=_order("width height depth"),
    object=_order("name pose truncated occluded difficult bndbox part actions point"),
    part=_order("name bndbox"),
    box=_order("xmin ymin xmax ymax"),
)
"""As the release of 2007; occluded, actions and point did not exist then."""

STYLE_2008 = replace(
    STYLE_2007, object=_order("name pose truncated occluded bndbox difficult part actions point")
)
"""As the images of 2008."""

STYLE_2012 = VocStyle(
    image=_order("filename folder object owner segmented size source"),
    source=_order("annotation database flickrid image"),
    owner=_order("flickrid name"),
    size=_order("depth height width"),
    object=_order("name actions bndbox difficult occluded part pose point truncated"),
    part=_order("name bndbox"),
    box=_order("xmax xmin ymax ymin"),
)
"""As the images of 2009 to 2012: alphabetical, but for an object's name, which comes first, and for
pose before point. Where part stood is not known; here it is in its alphabetical place."""
