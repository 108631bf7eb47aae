"""Pairs of an encoder and a decoder: which they are, what they get, and what their masks mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from work.detectors.errors import ModelError
from work.detectors.pairs import Click, Pair, Port, Ports, Taking, read_mask, recognise

EMBEDDINGS = Port("image_embeddings", (1, 256, 64, 64))
CLICK = Click(60, 20, is_inside=True)


def _encoder(name: str, *sides: int | None) -> tuple[str, Ports]:
    return "e.onnx", Ports([Port(name, sides)], [EMBEDDINGS])


def _decoder(*inputs: str, outputs: tuple[str, ...] = ("masks",)) -> tuple[str, Ports]:
    taken = [Port(name, (None,)) for name in ("image_embeddings", *inputs)]
    return "d.onnx", Ports(taken, [Port(name, (None,)) for name in outputs])


SAM = ("point_coords", "point_labels", "mask_input", "has_mask_input", "orig_im_size")
EFFICIENT = ("batched_point_coords", "batched_point_labels", "orig_im_size")
PREPARED = recognise(_encoder("images", 1, 3, 1024, 1024), _decoder(*SAM))
WHOLE = recognise(
    _encoder("batched_images", None, 3, None, None), _decoder(*EFFICIENT, outputs=("output_masks",))
)


@pytest.mark.parametrize(
    ("encoder", "decoder", "taking"),
    [
        (_encoder("images", 1, 3, 1024, 1024), _decoder(*SAM), Taking.PREPARED),
        (
            _encoder("image", 1, 3, 1024, 1024),
            _decoder(*SAM[:-1], outputs=("iou_predictions", "low_res_masks")),
            Taking.PREPARED,
        ),
        (_encoder("input_image", None, None, 3), _decoder(*SAM), Taking.SCALED),
        (
            _encoder("batched_images", None, 3, None, None),
            _decoder(*EFFICIENT, outputs=("output_masks", "iou_predictions")),
            Taking.WHOLE,
        ),
    ],
    ids=["segment-anything", "NanoSAM", "samexporter", "EfficientSAM"],
)
def test_a_pair_is_known_by_its_names_and_shapes(
    encoder: tuple[str, Ports], decoder: tuple[str, Ports], taking: Taking
) -> None:
    assert recognise(encoder, decoder).taking is taking


@pytest.mark.parametrize(
    ("encoder", "decoder", "sentence"),
    [
        (_encoder("images", 1, 3, 640, 640), _decoder(*SAM), r"e.onnx takes images \[1, 3, 640"),
        (_encoder("images", 1, 1024, 1024, 3), _decoder(*SAM), r"e.onnx takes images \[1, 1024"),
        (
            ("e.onnx", Ports([Port("a", (1,)), Port("b", (1,))], [EMBEDDINGS])),
            _decoder(*SAM),
            r"e.onnx takes a \[1\], b \[1\]",
        ),
        (_encoder("images", 1, 3, 1024, 1024), _decoder("prompt"), "d.onnx takes image_embeddings"),
        (
            _encoder("images", 1, 3, 1024, 1024),
            _decoder(*EFFICIENT, outputs=("output_masks",)),
            "d.onnx takes",
        ),
        (
            _encoder("images", 1, 3, 1024, 1024),
            _decoder(*SAM, "high_res_feats_0"),
            "high_res_feats_0",
        ),
        (_encoder("images", 1, 3, 1024, 1024), _decoder(*SAM, outputs=("boxes",)), "gives boxes"),
    ],
    ids=["size", "order", "two", "decoder", "mixed", "SAM 2", "no masks"],
)
def test_what_is_no_pair_is_refused_with_its_shapes(
    encoder: tuple[str, Ports], decoder: tuple[str, Ports], sentence: str
) -> None:
    with pytest.raises(ModelError, match=sentence):
        recognise(encoder, decoder)


def test_a_picture_is_scaled_normalised_and_padded_at_the_right_and_below() -> None:
    pixels = np.zeros((50, 100, 3), np.uint8)
    pixels[:, :, 0] = 255
    given = PREPARED.prepare(pixels)["images"]
    assert given.shape == (1, 3, 1024, 1024)
    assert given.dtype == np.float32
    red, green, blue = given[0, :, 511, 1023]
    assert red == pytest.approx((255 - 123.675) / 58.395, abs=1e-5)
    assert green == pytest.approx(-116.28 / 57.12, abs=1e-5)
    assert blue == pytest.approx(-103.53 / 57.375, abs=1e-5)
    assert not given[0, :, 512:].any()
    portrait = PREPARED.prepare(pixels.transpose(1, 0, 2))["images"]
    assert portrait[0, :, 1023, 511].all()
    assert not portrait[0, :, :, 512:].any()


def test_other_encoders_get_the_picture_as_it_is() -> None:
    pixels = np.full((50, 100, 3), 51, np.uint8)
    raw = recognise(_encoder("input_image", None, None, 3), _decoder(*SAM)).prepare(pixels)
    assert raw["input_image"].shape == (512, 1024, 3)
    assert raw["input_image"].max() == 51
    whole = WHOLE.prepare(pixels)["batched_images"]
    assert whole.shape == (1, 3, 50, 100)
    assert whole.max() == pytest.approx(0.2)


def _ask(pair: Pair) -> dict[str, Any]:
    clicks = [CLICK, Click(90, 10, is_inside=False)]
    given = pair.ask(np.zeros((1, 256, 64, 64)), clicks, (50, 0, 100, 40), (100, 50))
    return {name: some.tolist() for name, some in given.items() if name != "image_embeddings"}


def test_a_decoder_gets_clicks_then_the_box_with_sams_labels() -> None:
    given = _ask(PREPARED)
    scale = 10.24
    points = [[60, 20], [90, 10], [50, 0], [100, 40]]
    np.testing.assert_allclose(given["point_coords"], np.array([points]) * scale)
    assert given["point_labels"] == [[1, 0, 2, 3]]
    assert given["has_mask_input"] == [0]
    assert given["orig_im_size"] == [50, 100]
    efficient = _ask(WHOLE)
    assert efficient["batched_point_coords"] == [[points]]
    assert efficient["batched_point_labels"] == [[[1, 0, 2, 3]]]
    assert set(efficient) == set(EFFICIENT)


def _square(place: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Masks of 64 x 64, of which the one of that number is full and the others are empty."""
    masks = np.full((1, 3, 64, 64), -1, np.float32)
    masks[0, place] = 1
    return masks


def test_the_mask_that_the_model_trusts_most_is_taken() -> None:
    outputs = {"low_res_masks": _square(1), "iou_predictions": np.array([[0.2, 0.7, np.nan]])}
    assert read_mask("d.onnx", outputs, (40, 80)).all()
    outputs["iou_predictions"] = np.array([[0.9, 0.7, 0.8]])
    assert not read_mask("d.onnx", outputs, (40, 80)).any()


def test_a_mask_of_the_padded_square_is_cut_for_a_picture_of_any_shape() -> None:
    masks = np.full((1, 1, 64, 64), -1, np.float32)
    masks[0, 0, :, :16] = 1  # the left half of a portrait of 1 by 2
    masks[0, 0, :, 32:] = 1  # beside the picture
    wide_lie: dict[str, Any] = {"masks": np.ones((1, 1, 5, 5)), "low_res_masks": masks}
    mask = read_mask("d.onnx", wide_lie, (40, 80))
    assert mask.shape == (80, 40)
    assert mask[:, :19].all()
    assert not mask[:, 21:39].any()


def test_a_mask_of_the_pictures_size_is_taken_as_it_is() -> None:
    masks = np.full((1, 1, 1, 80, 40), -1, np.float32)
    masks[..., 3, 5] = 1
    assert np.argwhere(read_mask("d.onnx", {"output_masks": masks}, (40, 80))).tolist() == [[3, 5]]


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        ({"masks": np.zeros((80, 40))}, r"d.onnx gave masks of \[80, 40\]"),
        ({"masks": np.zeros((2, 1, 80, 40))}, r"gave masks of \[2, 1, 80, 40\]"),
        ({"masks": np.zeros((1, 0, 80, 40))}, r"gave masks of \[1, 0, 80, 40\]"),
        ({"masks": np.zeros((1, 1, 80, 41))}, r"a mask of \[80, 41\] for a picture of \[80, 40\]"),
        (
            {"masks": np.zeros((1, 1, 80, 40)), "iou_predictions": np.zeros((1, 4))},
            "1 masks with 4 scores",
        ),
    ],
)
def test_masks_of_other_shapes_are_refused(outputs: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        read_mask("d.onnx", outputs, (40, 80))
