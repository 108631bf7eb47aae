"""A simulated organiser: chooses gold, sets the shares on the board, judges what is difficult."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from catalog.settings import QaSettings

from .party_client import Json, PartyClient

DIFFICULT_SIDE_PX = 40  # under this, little can be told from a crop alone
GOLD_NOTE = "Drawn with care; the reference for others."


@dataclass(frozen=True)
class SimulatedOrganiser:
    """One signed-in organiser, who judges difficulty by the sizes that the pass lists."""

    client: PartyClient

    def choose_gold(self, image_id: int) -> None:
        """Let an image as it is drawn now be the reference of a gold image."""
        self.client.choose_gold(image_id, GOLD_NOTE)

    @contextmanager
    def sharing(self, *, gold: float, after: QaSettings) -> Iterator[None]:
        """While the block runs, this share of new images is gold and none is doubled.

        Then the shares of `after` hold.
        """
        self._set_shares(double=0.0, gold=gold)
        try:
            yield
        finally:
            self._set_shares(double=after.double_share, gold=after.gold_share)

    def judge_difficulty(self) -> Counter[str]:
        """How many objects were judged difficult or not, of every class where some wait."""
        judged: Counter[str] = Counter()
        for one in self.client.list_difficult():
            if one["waiting"]:
                said = [_judge(item) for item in self.client.take_difficult(one["name"])]
                self.client.judge_difficult(one["name"], said)
                judged.update("difficult" if item["difficult"] else "plain" for item in said)
        return judged

    def _set_shares(self, *, double: float, gold: float) -> None:
        shares = self.client.load_shares()
        self.client.set_shares(shares, double_share=double, gold_share=gold)


def _judge(item: Json) -> Json:
    """The word on one object, by the shorter side of its box."""
    is_difficult = min(item["size"]) < DIFFICULT_SIDE_PX
    return {"image_id": item["image_id"], "key": item["key"], "difficult": is_difficult}
