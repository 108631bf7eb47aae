"""labelmap.txt, by which readers such as datumaro know classes that are not VOC's own."""

from __future__ import annotations

from .recipe import Recipe

NAME = "labelmap.txt"
_BACKGROUND = "background"
_BIT_PLANES = 8


def format_label_map(recipe: Recipe) -> str:
    """Datumaro's form: a class on a line with its colour, its parts and its actions.

    Which class has parts and actions is not known here: `person`, else every class.
    """
    lines = ["# label:color_rgb:parts:actions", f"{_BACKGROUND}:0,0,0::"]
    for number, name in enumerate(recipe.classes, start=1):
        is_bearer = "person" not in recipe.classes or name == "person"
        parts = ",".join(recipe.parts) if is_bearer else ""
        actions = ",".join(recipe.actions) if is_bearer else ""
        colour = ",".join(map(str, find_colour(number)))
        lines.append(f"{name}:{colour}:{parts}:{actions}")
    return "".join(f"{line}\n" for line in lines)


def find_colour(label: int) -> tuple[int, int, int]:
    """The entry of VOC's palette: three lowest bits at a time, the lowest to red, from the top."""
    colour = [0, 0, 0]
    for plane in range(_BIT_PLANES):
        for channel in range(3):
            colour[channel] |= ((label >> (3 * plane + channel)) & 1) << (7 - plane)
    return colour[0], colour[1], colour[2]
