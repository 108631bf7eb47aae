"""Detectors that suggest boxes: an ONNX model of any of the usual kinds, OpenCV's, the party's."""
