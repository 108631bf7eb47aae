"""The JSON interface, version 1, one module a noun: bodies, answers and thin views."""
