"""An existing VOC tree as photos, images and checked annotations of the party."""
