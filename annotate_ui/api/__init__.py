"""The JSON interface, version 1 (docs/api.md): bodies, answers and thin views."""
