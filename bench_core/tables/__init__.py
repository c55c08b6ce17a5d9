"""Timings as people write them down, read into observations."""
