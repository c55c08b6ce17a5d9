"""Limits that several explanations of seconds against epochs or calls share, with where they come from."""

# A full queue at least halves the speed of enqueuing: below that a bend is something else. The queues of the public
# cases start at a ratio of 6.
LEAST_SATURATION_RATIO = 2.0

# Power and heat take 12 to 20 % of the speed in the public cases. Where every reading was waited for, nothing but a
# clock is left to explain a lasting slow-down, and the lowest clock of a card is a tenth of its highest.
_MOST_THROTTLE_RATIO = 2.5
_MOST_CLOCK_RATIO = 10.0


def most_throttle_ratio(is_synchronized: bool | None) -> float:
    """The largest lasting slow-down that is read as a lower clock rather than as a full queue."""
    return _MOST_CLOCK_RATIO if is_synchronized else _MOST_THROTTLE_RATIO
