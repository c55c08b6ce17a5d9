"""Limits that several explanations of seconds against epochs or calls share, with where they come from."""

# A full queue at least halves the speed of enqueuing: below that a bend is something else. The queues of the public
# cases start at a ratio of 6.
LEAST_SATURATION_RATIO = 2.0

# Held up by a full queue, a host pays for an epoch what the device takes for it. On a CPU, where both compete for the
# cores, an epoch costs up to 2.2 times as much while the queue fills (docs/method.md, "Capacity"). In 38 recorded
# traces an epoch, waited for, took 0.64 to 1.36 times what the held-up host paid, and 2.66 times in one with a long
# stall. Above this it is not the device that slowed the host.
MOST_WAITED_RATIO = 3.0

# Power and heat take 12 to 20 % of the speed in the public cases. Where every reading was waited for, nothing but a
# clock is left to explain a lasting slow-down, and the lowest clock of a card is a tenth of its highest.
_MOST_THROTTLE_RATIO = 2.5
_MOST_CLOCK_RATIO = 10.0


def most_throttle_ratio(is_synchronized: bool | None) -> float:
    """The largest lasting slow-down that is read as a lower clock rather than as a full queue."""
    return _MOST_CLOCK_RATIO if is_synchronized else _MOST_THROTTLE_RATIO
