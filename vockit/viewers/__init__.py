"""Pages that show images of a set, or detections, in a browser without a server or a network."""
