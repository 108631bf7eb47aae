"""Text from outside, made fit for both databases and otherwise left as it is."""

from __future__ import annotations


def clean_text(value: object, max_chars: int) -> str:
    """The text without NUL and lone surrogates, which no database takes, and cut to length.

    Numbers become their digits; Flickr's {"_content": ...} becomes its content; the rest is empty.
    """
    if type(value) is str and value.isascii() and "\0" not in value:
        return value[:max_chars]
    if isinstance(value, dict):
        value = value.get("_content")
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    text = str(value).replace("\0", "")[:max_chars]
    return text.encode("utf-8", "replace").decode("utf-8")
