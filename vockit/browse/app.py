"""The pages: a grid of the wanted images, and each image with all that its annotation says."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from mimetypes import guess_type
from operator import attrgetter
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from flask import Flask, Response, abort, render_template, request

from vockit.format import tree
from vockit.format.records import VocObject, VocSize
from vockit.format.text import split_mark

from .headers import HEADERS

PER_PAGE = 48
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
MASKS = {"class": tree.SEGMENTATION_CLASS, "object": tree.SEGMENTATION_OBJECT}
Sets = Mapping[str, frozenset[str]]
"""The images of each list of a tree, by the name that the pages give it."""
FLAGS: Mapping[str, Callable[[VocObject], object]] = {
    **{flag: attrgetter(flag) for flag in ("truncated", "occluded", "difficult", "parts")},
    "actions": lambda item: any(action.is_performed for action in item.actions or ()),
    "point": attrgetter("point"),
}
"""What can be asked of an object."""


@dataclass(frozen=True)
class ShownImage:
    """One image and its objects; `set_name` is the first set that lists it."""

    image_id: str
    set_name: str
    picture: Path
    size: VocSize
    objects: tuple[VocObject, ...]


@dataclass(frozen=True)
class ShownTree:
    """A tree below `root` as the pages show it; `classes` are in label order."""

    name: str
    root: Path
    classes: tuple[str, ...]
    images: tuple[ShownImage, ...]
    sets: Sets


def create_app(content: ShownTree) -> Flask:
    """A Flask application over the tree; it changes nothing."""
    app = Flask(__name__)
    root = content.root
    sets = content.sets
    by_id = {image.image_id: image for image in content.images}
    app.jinja_env.globals.update(
        content=content,
        flags=FLAGS,
        sets=sets,
        colour_of={name: find_colour(number) for number, name in enumerate(content.classes)},
    )
    app.after_request(_add_headers)
    app.register_error_handler(404, lambda _error: (render_template("base.html"), 404))

    @app.before_request
    def refuse_foreign_host() -> None:
        """Only by a local name, so that no page of another site can read the tree by rebinding."""
        if urlsplit(f"//{request.host}").hostname not in LOCAL_HOSTS:
            abort(403)

    def find(wish: Wish) -> list[ShownImage]:
        return [image for image in content.images if wish.fits(image, sets)]

    def get(image_id: str) -> ShownImage:
        return by_id.get(image_id) or abort(404)

    def find_mask(image_id: str, kind: str) -> Path | None:
        path = root / tree.mask_path(MASKS[kind], image_id)
        return path if path.is_file() else None

    @app.get("/")
    def grid() -> str:
        wish = parse_wish(request.args)
        matches = find(wish)
        in_set = find(Wish(set_name=wish.set_name))
        pages = max(1, math.ceil(len(matches) / PER_PAGE))
        page = min(max(request.args.get("page", 1, type=int), 1), pages)
        return render_template(
            "grid.html",
            wish=wish,
            images=matches[(page - 1) * PER_PAGE : page * PER_PAGE],
            count=len(matches),
            page=page,
            pages=pages,
            counts=Counter(
                name for image in in_set for name in {item.name for item in image.objects}
            ),
            in_set=len(in_set),
        )

    @app.get("/image/<image_id>")
    def show_image(image_id: str) -> str:
        image = get(image_id)
        wish = parse_wish(request.args)
        ids = [match.image_id for match in find(wish)]
        place = ids.index(image_id) + 1 if image_id in ids else 0  # 0: the wish leaves it out
        return render_template(
            "image.html",
            wish=wish,
            image=image,
            before=ids[place - 2] if place > 1 else None,
            after=ids[place] if place < len(ids) else None,
            place=place,
            page=(max(place, 1) - 1) // PER_PAGE + 1,
            count=len(ids),
            masks=[kind for kind in MASKS if find_mask(image_id, kind)],
            xml=_show_text((root / tree.annotation_path(image_id)).read_bytes()),
        )

    @app.get("/picture/<image_id>")
    def picture(image_id: str) -> Response:
        path = get(image_id).picture
        return Response(path.read_bytes(), mimetype=guess_type(path.name)[0] or "image/jpeg")

    @app.get("/mask/<any('class', 'object'):kind>/<image_id>")
    def mask(kind: str, image_id: str) -> Response:
        path = find_mask(get(image_id).image_id, kind) or abort(404)
        return Response(path.read_bytes(), mimetype="image/png")

    return app


def _add_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


@dataclass(frozen=True)
class Wish:
    """Images of one set, with an object of a class that has a flag; empty words ask for nothing."""

    set_name: str = ""
    class_name: str = ""
    flag: str = ""
    text: str = ""

    @property
    def pairs(self) -> dict[str, str]:
        """What is asked for, by its name in an address."""
        pairs = {"set": self.set_name, "class": self.class_name, "flag": self.flag, "id": self.text}
        return {key: value for key, value in pairs.items() if value}

    @property
    def query(self) -> str:
        """The wish as an address has it."""
        return urlencode(self.pairs)

    def fits(self, image: ShownImage, sets: Sets) -> bool:
        """Whether the image is wanted; class and flag are asked of one and the same object."""
        if self.set_name and image.image_id not in sets.get(self.set_name, ()):
            return False
        is_any = not (self.class_name or self.flag)
        return self.text in image.image_id and (is_any or any(map(self.marks, image.objects)))

    def marks(self, item: VocObject) -> bool:
        """Whether the object is one of those asked for; every one where none is."""
        is_of_class = self.class_name in ("", item.name)
        return is_of_class and (not self.flag or bool(FLAGS[self.flag](item)))


def parse_wish(values: Mapping[str, str]) -> Wish:
    """The wish in an address; a flag that there is not asks for nothing."""
    flag = values.get("flag", "")
    return Wish(
        set_name=values.get("set", ""),
        class_name=values.get("class", ""),
        flag=flag if flag in FLAGS else "",
        text=values.get("id", "").strip(),
    )


def find_colour(number: int) -> str:
    """The colour of the class of that number; by the golden angle, near numbers differ most."""
    return f"hsl({number * 137.508 % 360:.0f} 95% 65%)"


def _show_text(data: bytes) -> str:
    """The text of a file, whatever it holds."""
    content, encoding, _ = split_mark(data)
    return content.decode(encoding, "replace")
