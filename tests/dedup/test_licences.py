from __future__ import annotations

import pytest

from dedup.clusters import PUBLIC_DOMAIN_RANK, UNKNOWN_RANK, licence_rank

CC = "https://creativecommons.org/licenses"


def test_public_domain_is_freest_and_then_the_spectrum_of_creative_commons() -> None:
    kinds = ["by", "by-sa", "by-nc", "by-nc-sa", "by-nd", "by-nc-nd"]
    ranks = [licence_rank(f"{CC}/{kind}/2.0/", None) for kind in kinds]
    assert ranks == sorted(set(ranks))
    assert ranks[0] > PUBLIC_DOMAIN_RANK
    assert ranks[-1] < UNKNOWN_RANK


@pytest.mark.parametrize(
    ("name", "same_url"),
    [
        ("CC BY-NC-SA 4.0", f"{CC}/by-nc-sa/4.0/"),
        ("Attribution-NonCommercial-ShareAlike License", f"{CC}/by-nc-sa/2.0/"),
        ("Attribution-NoDerivs License", f"{CC}/by-nd/2.0/"),
        ("Attribution License", f"{CC}/by/2.0/"),
        ("Public Domain Dedication (CC0)", "https://creativecommons.org/publicdomain/zero/1.0/"),
        ("No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
        ("United States Government Work", "https://creativecommons.org/publicdomain/mark/1.0/"),
    ],
)
def test_a_name_says_the_same_as_its_address(name: str, same_url: str) -> None:
    assert licence_rank(None, name) == licence_rank(same_url, None) < UNKNOWN_RANK


@pytest.mark.parametrize(
    ("url", "name"),
    [(None, None), ("", ""), (None, "All Rights Reserved"), (None, "Photo by John"), (None, "7")],
)
def test_a_licence_that_grants_nothing_we_know_of_is_last(
    url: str | None, name: str | None
) -> None:
    assert licence_rank(url, name) == UNKNOWN_RANK
