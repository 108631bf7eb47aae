"""The challenge: a server that scores submissions on labels that nobody else has."""
