"""The demo's photographs: real ones from installed packages, with what is known about each."""
