"""The PASCAL VOC format itself: records, writing, reading; knows no catalogue and no disk."""
