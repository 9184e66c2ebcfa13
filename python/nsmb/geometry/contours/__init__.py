"""Contours of bodies for planar contact: curves, polygons, points."""
