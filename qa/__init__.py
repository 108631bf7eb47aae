"""The rules of checking: automatic checks, agreement, statistics."""
