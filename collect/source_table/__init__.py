"""A table of photographs as a source: read once, sampled, and searched from then on."""
