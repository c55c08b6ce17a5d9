"""What may be told to a user instead of a traceback."""

from collections.abc import Mapping


class UserError(Exception):
    """Bad input or an environment that cannot serve it: shown as one message, exit status 2."""


class SpecError(UserError):
    """A request that cannot be planned, with every problem found in it.

    Attributes:
        problems: what is wrong and what is allowed, by the name of the field it concerns.
    """

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("\n".join(f"{name}: {problem}" for name, problem in self.problems.items()))


class TableError(UserError):
    """A pasted table that cannot be read as timings; names the line and the problem."""


class WarehouseError(UserError):
    """A warehouse that cannot be written, read or trusted; names the path and what to do."""


class DeviceError(UserError):
    """A device that is not there, is busy, or cannot be used by this TensorFlow."""
