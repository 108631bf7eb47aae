"""The headers of every answer of our pages: nothing from elsewhere, nothing told elsewhere."""

from __future__ import annotations

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        "img-src 'self' blob: data:; connect-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), usb=()",
    "Referrer-Policy": "no-referrer",  # the address of a personal link is a secret
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
