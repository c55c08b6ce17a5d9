"""The third axis: how the same epochs are issued (strategy) and how the process is prepared (settings)."""

import re
from dataclasses import dataclass

# Every strategy by name, with the sentence help and reports show. A strategy is one function in
# bench_core/measure/worker/strategies.py and one line here; a test holds the two together.
STRATEGIES: dict[str, str] = {
    "none": "a Python loop of calls, as in the question: the control",
    "sync_each": "the same loop, waiting for the device after every call",
    "sync_every": "the same loop, waiting after every K calls: sync_every:K, or tuned without K",
    "graph_loop": "the loop inside tf.function with tf.range, as was suggested: each product is dropped",
    "graph_loop_kept": "the same loop, each epoch depending on one element of the product before",
    "while_loop": "the loop as tf.while_loop, as was suggested: each product is dropped",
    "while_loop_kept": "the same loop, each epoch depending on one element of the product before",
    "merged": "several epochs in one larger matmul of exactly the same FLOP",
    "xla_call": "the Python loop of a function compiled by XLA",
    "xla": "graph_loop compiled by XLA: each product is dropped",
    "xla_kept": "graph_loop_kept compiled by XLA",
}

# Every setting by name, with what its argument is ("" for none) and the sentence help shows.
SETTINGS: dict[str, tuple[str, str]] = {
    "memory_growth": ("", "GPU memory taken as needed instead of all at once"),
    "cuda_malloc_async": ("", "CUDA's own asynchronous allocator"),
    "launch_queue": ("X", "capacity of the launch queue: a factor such as 4x, on cpu-async also a number of epochs"),
    "tf32": ("on|off", "whether fp32 matmuls may run as tf32"),
    "threads": ("N", "threads of one matmul on the CPU"),
    "tensorflow": ("VERSION", "the same sweep under another TensorFlow"),
}

CONTROL = "none"

_PART = re.compile(r"[a-z0-9_]+(:[A-Za-z0-9_.]+)?")


@dataclass(frozen=True, slots=True, order=True)
class Mitigation:
    """A strategy with any settings, written `strategy+setting`; a setting alone means `none+setting`.

    Settings are kept sorted, so that the same mitigation has one spelling.
    """

    strategy: str = CONTROL
    settings: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Mitigation":
        """Read `strategy+setting+...`; names are not looked up here (see unknown_names).

        Raises:
            ValueError: a part that is no name at all, or a setting given twice.
        """
        parts = [part.strip() for part in text.split("+")]
        if not all(_PART.fullmatch(part) for part in parts):
            raise ValueError(f"need STRATEGY or STRATEGY+SETTING in letters, digits and underscores, got {text!r}")
        if _name(parts[0]) in SETTINGS:
            parts.insert(0, CONTROL)
        settings = tuple(sorted(parts[1:]))
        names = [_name(setting) for setting in settings]
        if len(set(names)) != len(names):
            raise ValueError(f"a setting is given twice in {text!r}")
        return cls(parts[0], settings)

    def __str__(self) -> str:
        return "+".join((self.strategy, *self.settings))

    @property
    def strategy_name(self) -> str:
        """The strategy without its argument."""
        return _name(self.strategy)

    @property
    def strategy_argument(self) -> str:
        """What follows the strategy's colon, or ""."""
        return self.strategy.partition(":")[2]

    def setting(self, name: str) -> str | None:
        """The argument of a setting ("" without one), or None where it is not set."""
        arguments = (setting.partition(":")[2] for setting in self.settings if _name(setting) == name)
        return next(arguments, None)

    def unknown_names(self) -> tuple[str, ...]:
        """The parts no catalogue entry has."""
        strategy = () if _name(self.strategy) in STRATEGIES else (self.strategy,)
        return strategy + tuple(setting for setting in self.settings if _name(setting) not in SETTINGS)


def _name(part: str) -> str:
    return part.partition(":")[0]
