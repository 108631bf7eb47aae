"""A VOC tree in other formats: COCO, YOLO, Open Images, and one table with everything."""
