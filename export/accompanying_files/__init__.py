"""The files next to a release's tree, all made once and kept in the image store."""
