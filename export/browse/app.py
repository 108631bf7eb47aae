"""The pages: a grid of the wanted images, and each image with all that its annotation says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, abort, render_template, request, send_file
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from export.formats.tree_images import TreeContent, TreeImage
from export.voc import tree

from .filters import FLAGS, Wish, count_classes, find_images, find_neighbours, parse_wish

PER_PAGE = 24
COLOURS = 7
"""How many colours the style sheet has for classes."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def create_app(content: TreeContent, root: Path) -> Flask:
    """A Flask application over a tree that was loaded from `root`; it changes nothing."""
    app = Flask(__name__)
    by_id = {image.image_id: image for image in content.images}
    colour_of = {name: number % COLOURS for number, name in enumerate(content.classes)}
    shared = {"content": content, "flags": FLAGS, "colour_of": colour_of}
    app.jinja_env.globals.update(shared)
    app.before_request(_refuse_foreign_host)
    app.after_request(_add_headers)

    @app.get("/")
    def grid() -> ResponseReturnValue:
        return _show_grid(content, parse_wish(request.args), request.args.get("page", 1, type=int))

    @app.get("/image/<image_id>")
    def one(image_id: str) -> ResponseReturnValue:
        image = _find(by_id, image_id)
        return _show_image(content, image, parse_wish(request.args), root)

    @app.get("/picture/<image_id>")
    def picture(image_id: str) -> ResponseReturnValue:
        return send_file(_find(by_id, image_id).picture.resolve(), mimetype="image/jpeg")

    app.register_error_handler(404, _not_found)
    return app


def _show_grid(content: TreeContent, wish: Wish, page: int) -> str:
    found = find_images(content, wish)
    pages = max(1, -(-len(found) // PER_PAGE))
    page = min(max(page, 1), pages)
    shown = found[(page - 1) * PER_PAGE : page * PER_PAGE]
    in_set = find_images(content, Wish(set_name=wish.set_name))
    return render_template(
        "grid.html",
        wish=wish,
        images=shown,
        found=len(found),
        page=page,
        pages=pages,
        counts=count_classes(in_set),
        in_set=len(in_set),
    )


def _show_image(content: TreeContent, image: TreeImage, wish: Wish, root: Path) -> str:
    found = find_images(content, wish)
    before, after = find_neighbours(found, image.image_id)
    place = next((n for n, it in enumerate(found, 1) if it.image_id == image.image_id), None)
    xml = (root / tree.annotation_path(image.image_id)).read_text(errors="replace")
    return render_template(
        "image.html",
        wish=wish,
        image=image,
        before=before,
        after=after,
        place=place,
        found=len(found),
        xml=xml,
    )


def _find(by_id: Mapping[str, TreeImage], image_id: str) -> TreeImage:
    if image_id not in by_id:
        abort(404)
    return by_id[image_id]


def _not_found(error: Exception) -> ResponseReturnValue:
    return render_template("missing.html"), 404


def _refuse_foreign_host() -> None:
    """Only by a local name, so that no page of another site can read the tree by rebinding."""
    if urlsplit(f"//{request.host}").hostname not in LOCAL_HOSTS:
        abort(403)


def _add_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response
