"""The pages: a grid of the wanted images, and each image with all that its annotation says."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

from flask import Flask, Response, abort, render_template, request, send_file

from export.formats.tree_images import TreeContent, TreeImage
from voc import tree

from .gallery import FLAGS, MASKS, Gallery, find_colour, parse_wish

PER_PAGE = 48
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def create_app(content: TreeContent, root: Path) -> Flask:
    """A Flask application over a tree that was loaded from `root`; it changes nothing."""
    app = Flask(__name__)
    gallery = Gallery(content, root.resolve())
    app.jinja_env.globals.update(
        content=content,
        flags=FLAGS,
        sets=gallery.sets,
        colour_of={name: find_colour(it) for it, name in enumerate(content.classes)},
    )
    app.before_request(_refuse_foreign_host)
    app.after_request(lambda response: response.headers.update(HEADERS) or response)
    _add_pages(app, gallery)
    app.register_error_handler(404, lambda _error: (render_template("base.html"), 404))
    return app


def _add_pages(app: Flask, gallery: Gallery) -> None:
    def get(image_id: str) -> TreeImage:
        return gallery.by_id.get(image_id) or abort(404)

    def send(path: Path, mimetype: str) -> Response:
        """The whole file is read: it is closed even if the browser goes away meanwhile."""
        return send_file(BytesIO(path.read_bytes()), mimetype=mimetype)

    @app.get("/")
    def grid() -> str:
        wish = parse_wish(request.args)
        found = gallery.find(wish)
        pages = max(1, -(-len(found) // PER_PAGE))
        page = min(max(request.args.get("page", 1, type=int), 1), pages)
        in_set, counts = gallery.count(wish.set_name)
        return render_template(
            "grid.html",
            wish=wish,
            images=found[(page - 1) * PER_PAGE : page * PER_PAGE],
            found=len(found),
            page=page,
            pages=pages,
            counts=counts,
            in_set=in_set,
        )

    @app.get("/image/<image_id>")
    def one(image_id: str) -> str:
        image, wish = get(image_id), parse_wish(request.args)
        found = gallery.find(wish)
        place = found.index(image) + 1 if image in found else 0
        around = [None, *(it.image_id for it in found), None]
        return render_template(
            "image.html",
            wish=wish,
            image=image,
            before=around[place - 1] if place else None,
            after=around[place + 1],
            place=place,
            page=-(-max(place, 1) // PER_PAGE),
            found=len(found),
            masks=[kind for kind in MASKS if gallery.mask_path(image, kind)],
            xml=(gallery.root / tree.annotation_path(image_id)).read_text(errors="replace"),
        )

    @app.get("/picture/<image_id>")
    def picture(image_id: str) -> Response:
        return send(get(image_id).picture, "image/jpeg")

    @app.get("/mask/<any('class', 'object'):kind>/<image_id>")
    def mask(kind: str, image_id: str) -> Response:
        return send(gallery.mask_path(get(image_id), kind) or abort(404), "image/png")


def _refuse_foreign_host() -> None:
    """Only by a local name, so that no page of another site can read the tree by rebinding."""
    if urlsplit(f"//{request.host}").hostname not in LOCAL_HOSTS:
        abort(403)
