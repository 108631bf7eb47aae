"""What counts as a name or an address of a host."""

import pytest

from web.hosts import is_host


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "10.0.0.7",
        "[::1]:8000",
        "my_pc.local",
        "xn--bcher-kva.example.",
    ],
)
def test_a_name_or_an_address_is_a_host(host: str) -> None:
    assert is_host(host)
