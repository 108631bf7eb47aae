"""Fingers and a pen on the page, as the browser's own protocol moves them."""

import time

from playwright.sync_api import CDPSession

Place = tuple[float, float]


def touch(fingers: CDPSession, kind: str, *places: Place, at: float | None = None) -> None:
    """Fingers in these places, now or at this time, as "Start", "Move", "End" and "Cancel" say."""
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    event = {"type": f"touch{kind}", "touchPoints": points, "timestamp": at or time.time()}
    fingers.send("Input.dispatchTouchEvent", event)


def swipe(fingers: CDPSession, start: Place, end: Place) -> None:
    """One finger that goes down, moves in four steps and lifts."""
    touch(fingers, "Start", start)
    for step in range(1, 5):
        x, y = (a + (b - a) * step / 4 for a, b in zip(start, end, strict=True))
        touch(fingers, "Move", (x, y))
    touch(fingers, "End")


def hold_pen(
    pen: CDPSession, kind: str, place: Place, *, at: float | None = None, is_down: bool = True
) -> None:
    """A pen pressed, moved or released, now or at this time, as its kind says."""
    event = {"type": f"mouse{kind}", "x": place[0], "y": place[1], "pointerType": "pen"}
    button = {"button": "left", "buttons": 1, "clickCount": 1} if is_down else {}
    pen.send("Input.dispatchMouseEvent", event | button | {"timestamp": at or time.time()})
