"""What the metadata of a picture may name."""

import io

import pytest
from PIL import Image

from vockit.format.metadata import find_metadata, list_naming

GD = b"CREATOR: gd-jpeg v2.0 (using IJG JPEG v62), quality = 75\n"


def jpeg_with(comment: bytes) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (8, 8)).save(target, "JPEG", comment=comment)
    return target.getvalue()


@pytest.mark.parametrize(
    "comment", [GD, GD.replace(b"quality = 75", b"default quality"), b"\0\0", b" \n"]
)
def test_a_comment_of_an_encoder_names_nobody(comment: bytes) -> None:
    assert list_naming(find_metadata(jpeg_with(comment))) == ()


@pytest.mark.parametrize("comment", [b"Ann at home", GD + b"Ann at home", b"Ann\n" + GD])
def test_any_other_comment_may_name_people(comment: bytes) -> None:
    assert len(list_naming(find_metadata(jpeg_with(comment)))) == 1
