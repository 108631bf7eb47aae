"""A VOC tree in other formats: COCO, YOLO, and one table with everything."""
