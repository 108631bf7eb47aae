"""Pairs of models that outline what a person clicks on: an encoder and a decoder; pure.

Names and shapes as the usual exports of SAM (A. Kirillov et al., ICCV 2023) write them: that of
segment-anything, which MobileSAM and NanoSAM share, samexporter's, whose encoder prepares the
picture itself, and that of EfficientSAM (Y. Xiong et al., CVPR 2024).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ModelError

if TYPE_CHECKING:
    from .preparation import Pixels

Arrays = Mapping[str, NDArray[Any]]
Mask = NDArray[np.bool_]
LONG_SIDE_PX = 1024
"""The longer side of a picture, as SAM was trained."""
_MEAN = np.array([123.675, 116.28, 103.53], np.float32)
_SPREAD = np.array([58.395, 57.12, 57.375], np.float32)
_MASK_INPUT = (1, 1, 256, 256)
EMBEDDING = "image_embeddings"
_OF_CORNERS = (2, 3)
"""The labels of a box's left top and right bottom; those of clicks are 1 inside and 0 outside."""
_DECODER_INPUTS = {"point_coords", "point_labels", "mask_input", "has_mask_input"}
_EFFICIENT_INPUTS = {"batched_point_coords", "batched_point_labels", "orig_im_size"}
_EXPECTED = (
    "vocparty runs pairs as segment-anything, samexporter and EfficientSAM export them: an encoder "
    f"from [1, 3, {LONG_SIDE_PX}, {LONG_SIDE_PX}], [height, width, 3] or batched_images "
    f"[1, 3, height, width] to {EMBEDDING}, and a decoder from {EMBEDDING}, point_coords, "
    "point_labels, mask_input, has_mask_input and orig_im_size to masks, or from "
    f"{EMBEDDING}, batched_point_coords, batched_point_labels and orig_im_size to output_masks"
)


@dataclass(frozen=True)
class Port:
    """An input or output: its name and sides; None for a side of any size."""

    name: str
    sides: tuple[int | None, ...]

    def __str__(self) -> str:
        sides = ", ".join("any" if side is None else str(side) for side in self.sides)
        return f"{self.name} [{sides}]"


@dataclass(frozen=True)
class Ports:
    """What a model takes and gives."""

    inputs: Sequence[Port]
    outputs: Sequence[Port]

    def __str__(self) -> str:
        taken, given = (", ".join(map(str, some)) for some in (self.inputs, self.outputs))
        return f"takes {taken or 'nothing'} and gives {given or 'nothing'}"


class Taking(Enum):
    """How an encoder takes a picture."""

    PREPARED = "scaled, normalised and padded"
    SCALED = "scaled, as it is"
    WHOLE = "in its own size, 0 to 1"


class Click(NamedTuple):
    """A point of the picture, in pixels from its corner; whether it is on the object."""

    x: float
    y: float
    is_inside: bool


@dataclass(frozen=True)
class Pair:
    """How the two models of a pair are fed."""

    taking: Taking
    encoder_input: str
    encoder_output: str
    decoder_inputs: frozenset[str]

    def prepare(self, pixels: Pixels) -> Arrays:
        """What the encoder gets of a picture."""
        if self.taking is Taking.WHOLE:
            numbers = pixels.transpose(2, 0, 1)[None].astype(np.float32) / 255
            return {self.encoder_input: numbers}
        import cv2

        width, height = scaled_size((pixels.shape[1], pixels.shape[0]))
        scaled = np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA))
        numbers = scaled.astype(np.float32)
        if self.taking is Taking.PREPARED:
            numbers = ((numbers - _MEAN) / _SPREAD).transpose(2, 0, 1)
            below = LONG_SIDE_PX - height
            beside = LONG_SIDE_PX - width
            numbers = np.pad(numbers, ((0, 0), (0, below), (0, beside)))[None]
        return {self.encoder_input: numbers}

    def ask(
        self,
        embedding: NDArray[Any],
        clicks: Sequence[Click],
        box: Sequence[float],
        size_wh: tuple[int, int],
    ) -> Arrays:
        """What the decoder gets: the clicks and the edges of the object's box in the picture."""
        left, top, right, bottom = box
        points = np.array([*((x, y) for x, y, _ in clicks), (left, top), (right, bottom)])
        labels = [int(click.is_inside) for click in clicks]
        labels += _OF_CORNERS
        width, height = size_wh
        given: dict[str, NDArray[Any]] = {
            EMBEDDING: embedding,
            "orig_im_size": np.array([height, width]),
        }
        if self.taking is Taking.WHOLE:
            given |= {
                "batched_point_coords": points[None, None],
                "batched_point_labels": np.array(labels)[None, None],
            }
        else:
            scale = np.array(scaled_size(size_wh)) / size_wh
            given |= {
                "point_coords": (points * scale)[None],
                "point_labels": np.array(labels)[None],
                "mask_input": np.zeros(_MASK_INPUT),
                "has_mask_input": np.zeros(1),
            }
        return {name: some for name, some in given.items() if name in self.decoder_inputs}


def scaled_size(size_wh: tuple[int, int]) -> tuple[int, int]:
    """Width and height of a picture whose longer side has LONG_SIDE_PX."""
    scale = LONG_SIDE_PX / max(size_wh)
    width, height = (max(1, int(side * scale + 0.5)) for side in size_wh)
    return width, height


def recognise(encoder: tuple[str, Ports], decoder: tuple[str, Ports]) -> Pair:
    """How the two models, each with the name of its file, are fed; raises ModelError."""
    encoder_name, taken = encoder
    taking = _find_taking(taken)
    if taking is None:
        raise ModelError(f"{encoder_name} {taken}; {_EXPECTED}.")
    decoder_name, asked = decoder
    names = frozenset(port.name for port in asked.inputs)
    is_efficient = taking is Taking.WHOLE
    needed = _EFFICIENT_INPUTS if is_efficient else _DECODER_INPUTS
    allowed = needed | {EMBEDDING, "orig_im_size"}
    given = {port.name for port in asked.outputs}
    has_masks = bool(given & ({"output_masks"} if is_efficient else {"masks", "low_res_masks"}))
    if not ({EMBEDDING} | needed <= names <= allowed and has_masks):
        raise ModelError(f"{decoder_name} {asked}; {_EXPECTED}.")
    return Pair(taking, taken.inputs[0].name, _name_embedding(taken.outputs), names)


def _find_taking(ports: Ports) -> Taking | None:
    """How an encoder takes a picture, by its only input; None where it is no encoder."""
    if len(ports.inputs) != 1 or not ports.outputs:
        return None
    [port] = ports.inputs
    if port.name == "batched_images" and _fits(port, (1, 3, None, None)):
        return Taking.WHOLE
    if _fits(port, (1, 3, LONG_SIDE_PX, LONG_SIDE_PX)):
        return Taking.PREPARED
    return Taking.SCALED if _fits(port, (None, None, 3)) else None


def _fits(port: Port, sides: Sequence[int | None]) -> bool:
    """Whether it takes these sides; None stands for all sizes, which it has to take then."""
    return len(port.sides) == len(sides) and all(
        side is None or side == wanted for side, wanted in zip(port.sides, sides, strict=True)
    )


def _name_embedding(outputs: Sequence[Port]) -> str:
    names = [port.name for port in outputs]
    return EMBEDDING if EMBEDDING in names else names[0]


def read_mask(decoder_name: str, outputs: Arrays, size_wh: tuple[int, int]) -> Mask:
    """The pixels of the mask that the decoder trusts most; raises ModelError for other shapes.

    Where it gives masks of a low resolution, these are used: some exports have the size of one
    picture fixed in the way that they enlarge them.
    """
    width, height = size_wh
    if "low_res_masks" in outputs and "masks" in outputs:
        masks = _as_masks(decoder_name, outputs["low_res_masks"])
    else:
        name = next(some for some in ("masks", "output_masks", "low_res_masks") if some in outputs)
        masks = _as_masks(decoder_name, outputs[name])
    scores = np.asarray(outputs.get("iou_predictions", np.zeros(len(masks)))).ravel()
    if len(scores) != len(masks):
        given = f"{len(masks)} masks with {len(scores)} scores"
        raise ModelError(f"{decoder_name} gave {given} for a click.")
    chosen = masks[int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))].astype(np.float32)
    if chosen.shape == (height, width):
        return np.asarray(chosen > 0, np.bool_)
    if chosen.shape[0] != chosen.shape[1]:
        sides = list(chosen.shape)
        raise ModelError(
            f"{decoder_name} gave a mask of {sides} for a picture of {[height, width]}."
        )
    return _enlarge(chosen, size_wh)


def _as_masks(decoder_name: str, masks: NDArray[Any]) -> NDArray[Any]:
    """As masks x height x width; raises ModelError."""
    shape = np.shape(masks)
    if len(shape) not in (4, 5) or any(side != 1 for side in shape[:-3]) or 0 in shape:
        raise ModelError(f"{decoder_name} gave masks of {list(shape)} for a click.")
    return masks.reshape(shape[-3:])


def _enlarge(square: NDArray[np.float32], size_wh: tuple[int, int]) -> Mask:
    """The mask of a picture, of that of the padded square around it."""
    import cv2

    side = (LONG_SIDE_PX, LONG_SIDE_PX)
    width, height = scaled_size(size_wh)
    whole = cv2.resize(square, side, interpolation=cv2.INTER_LINEAR)[:height, :width]
    sized = cv2.resize(whole, size_wh, interpolation=cv2.INTER_LINEAR)
    return np.asarray(sized > 0, np.bool_)
