"""The JSON interface, version 1: bodies, answers and thin views."""
