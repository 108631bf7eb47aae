"""The address at which others in the network reach a server."""

import socket

from web.reach import find_address_in_network, find_reach


def test_who_listens_to_ipv6_is_not_said_to_be_reached_by_ipv4() -> None:
    address = find_address_in_network(socket.AF_INET6)
    expected = "" if address is None else f"http://[{address}]:8080"
    assert find_reach("::", "http://[::]:8080") == expected


def test_the_address_in_the_network_is_one_of_this_computer() -> None:
    address = find_address_in_network()
    if address is None:
        return  # a computer without a network has none to tell
    with socket.socket() as listening:
        listening.bind((address, 0))
