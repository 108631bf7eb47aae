"""Titles, names and tags that break programs which trust them, for tests that ask for them."""

HOSTILE_TEXTS = (
    "<script>alert(document.domain)</script>",
    '"><img src=x onerror="alert(\'cat\')">',
    "'); DROP TABLE photo; -- dog",
    "]]></title><object><name>person</name></object>",
    "../../../../etc/passwd",
    '=HYPERLINK("http://127.0.0.1/";"car")',
    "boat\r\nSet-Cookie: session=stolen",
    "bird \u202egpj.evil\u202c sea",
    "horse\u0000train\u0008bus\u001b[31m",
    "sheep \U0001f411" * 40,
    "{{ 7 * 7 }} ${7*7} %s %(name)s cow",
    "javascript:alert(1)//chair",
    "\ufeff\u200b\u00a0",
    "a" * 2000 + " bottle",
)
