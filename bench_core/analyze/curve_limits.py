"""Limits that several explanations of seconds against epochs or calls share, with where they come from."""

# A full queue at least halves the speed of enqueuing: below that a bend is something else. Straight controls at 3 %
# noise bend by up to 1.41; the queues of the public cases start at 6.
LEAST_SATURATION_RATIO = 2.0

# A slowed clock keeps a third of its speed or more (boost 2.1 GHz over base 0.7 GHz is the widest seen).
MOST_THROTTLE_RATIO = 3.0
