"""Drawers are lent to one thread at a time, made when needed, and closed at the end."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import cast

import pytest

from collect.drawers import Drawers
from collect.draws import Drawer
from collect.flickr import Flickr


class Client:
    """Stands in for a client only as something that is closed."""

    def __init__(self) -> None:
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


class Makers:
    """Makes clients and drawers, and remembers them."""

    def __init__(self) -> None:
        self.clients: list[Client] = []
        self.drawers: list[object] = []
        self.fails = False

    def make_flickr(self) -> Flickr:
        if self.fails:
            raise RuntimeError("no client")
        self.clients.append(Client())
        return cast(Flickr, self.clients[-1])

    def make_drawer(self, flickr: Flickr) -> Drawer:
        self.drawers.append(("drawer of", flickr))
        return cast(Drawer, self.drawers[-1])


def make(count: int) -> tuple[Drawers, Makers]:
    makers = Makers()
    return Drawers(count, makers.make_flickr, makers.make_drawer), makers


def test_no_drawer_is_made_before_it_is_needed_and_one_is_used_again() -> None:
    drawers, makers = make(3)
    assert makers.clients == []
    for _ in range(5):
        with drawers.try_borrow() as drawer:
            assert drawer is makers.drawers[0]
    assert len(makers.clients) == 1


def test_each_borrower_has_a_drawer_and_a_client_of_its_own_and_no_more_than_there_are() -> None:
    drawers, makers = make(2)
    with ExitStack() as stack:
        lent = [stack.enter_context(drawers.try_borrow()) for _ in range(3)]
        assert lent == [makers.drawers[0], makers.drawers[1], None]
        assert makers.clients[0] is not makers.clients[1]
    with drawers.try_borrow() as drawer:
        assert drawer is not None


def test_a_drawer_comes_back_from_a_draw_that_raised() -> None:
    drawers, _makers = make(1)
    with pytest.raises(KeyError), drawers.try_borrow():
        raise KeyError
    with drawers.try_borrow() as drawer:
        assert drawer is not None


def test_a_drawer_that_could_not_be_made_is_made_the_next_time() -> None:
    drawers, makers = make(1)
    makers.fails = True
    with pytest.raises(RuntimeError, match="no client"), drawers.try_borrow():
        pass
    makers.fails = False
    with drawers.try_borrow() as drawer:
        assert drawer is makers.drawers[0]


def test_closing_closes_every_client_that_was_made() -> None:
    drawers, makers = make(3)
    with drawers.try_borrow(), drawers.try_borrow():
        pass
    drawers.close()
    assert [client.is_closed for client in makers.clients] == [True, True]


def test_threads_never_share_a_drawer() -> None:
    drawers, _makers = make(2)
    in_use: set[int] = set()
    lock, shared, barrier = threading.Lock(), list[int](), threading.Barrier(6)

    def work() -> None:
        barrier.wait()
        for _ in range(300):
            with drawers.try_borrow() as drawer:
                if drawer is None:
                    continue
                with lock:
                    shared.extend({id(drawer)} & in_use)
                    in_use.add(id(drawer))
                with lock:
                    in_use.discard(id(drawer))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared == []
