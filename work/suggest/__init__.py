"""Sets of suggestions: read from files of detectors, stored whole, withdrawn whole."""
