from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dedup.search.bits import choose_bits, choose_first_words, measure_bits, unpack_signs


def pack(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Words, `[word, row]`, out of `[row, bit]`, the lowest bit first."""
    octets = np.packbits(bits, axis=1, bitorder="little")
    return np.ascontiguousarray(octets.view("<u8").astype(np.uint64).T)


def make_bits(bits: int = 64, rows: int = 4000) -> NDArray[np.bool_]:
    return np.random.default_rng(3).random((rows, bits)) < 0.5


def test_signs_are_the_bits_in_order() -> None:
    bits = make_bits(128, 50)
    assert np.array_equal(unpack_signs(pack(bits)).T > 0, bits)
    assert set(np.unique(unpack_signs(pack(bits)))) == {-1.0, 1.0}


def test_the_factors_are_how_much_more_often_two_hashes_agree() -> None:
    bits = make_bits()
    bits[:, 5] = True  # always agrees: twice as often
    bits[:, 7] = bits[:, 6]  # two bits that are one: twice as often
    alone, together = measure_bits(pack(bits))
    assert np.exp(alone[5]) == pytest.approx(2, abs=0.01)
    assert np.exp(together[6, 7]) == pytest.approx(2, abs=0.01)
    assert np.abs(np.delete(alone, 5)).max() < 0.01


def test_bits_that_say_the_same_go_into_different_bands() -> None:
    bits = make_bits()
    bits[:, 40:] = bits[:, :24]
    for band in choose_bits(pack(bits), [16] * 4, [1.0] * 4):
        assert len({bit % 40 for bit in band}) == 16


def test_bits_that_say_nothing_are_left_out_or_shared_out() -> None:
    bits = make_bits()
    bits[:, 10:14] = True
    spared = choose_bits(pack(bits), [15] * 4, [1.0] * 4)
    assert not {10, 11, 12, 13} & {bit for band in spared for bit in band}
    shared = choose_bits(pack(bits), [16] * 4, [1.0] * 4)
    assert [len({10, 11, 12, 13} & set(band)) for band in shared] == [1, 1, 1, 1]
    cheap = choose_bits(pack(bits), [16] * 4, [1.0, 1.0, 0.001, 1.0])
    assert {10, 11, 12, 13} <= set(cheap[2])


def test_every_band_is_as_wide_as_asked_and_its_bits_are_its_own() -> None:
    chosen = choose_bits(pack(make_bits()), [17, 17, 17, 13], [2.0, 2.0, 2.0, 1.0])
    assert [len(band) for band in chosen] == [17, 17, 17, 13]
    assert len({bit for band in chosen for bit in band}) == 64


@pytest.mark.parametrize("rows", [0, 1])
def test_hardly_any_sample_gives_bands_too(rows: int) -> None:
    sample = pack(make_bits(128, 1))[:, :rows]
    assert sorted(map(len, choose_bits(sample, [30, 20], [1.0, 1.0]))) == [20, 30]
    assert choose_first_words(sample, 3)


def test_the_first_words_are_those_that_differ_and_as_many_as_it_takes() -> None:
    bits = make_bits(256)
    bits[:, :64] &= make_bits(64)[:, :1]
    bits[:, 64:128] = True
    words = pack(bits)
    assert set(choose_first_words(words, 31)) == {2, 3}
    assert len(choose_first_words(words, 8)) == 1
    assert choose_first_words(words, 200) == (0, 1, 2, 3)
