"""What the name of a column says: its role, its unit, and whether it is per epoch."""

import re
from dataclasses import dataclass
from enum import StrEnum

from bench_core.model.curve import XKind
from bench_core.tables.quantity import SECONDS_PER_UNIT, word_set


class Role(StrEnum):
    """What a column can be to a diagnosis: spread stands for everything that is derived from the times."""

    X = "x"
    TIME = "time"
    SYNCHRONIZED = "synchronized"
    UNSYNCHRONIZED = "unsynchronized"
    RATE = "rate"
    SPREAD = "spread"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A column's name, understood.

    Attributes:
        x: the kind the name speaks for, None where it does not.
        is_plain_epochs: the name can only be a number of epochs, whatever the numbers look like.
        s_per_unit: seconds of one unit; None where the name has no unit.
        is_per_epoch: the time is of one epoch, not of the loop.
        is_statistic: a minimum, a quantile or the like, one of several ways to sum the same samples up.
    """

    role: Role = Role.UNKNOWN
    x: XKind | None = None
    is_plain_epochs: bool = False
    s_per_unit: float | None = None
    is_per_epoch: bool = False
    is_statistic: bool = False


_WORD = re.compile(r"[a-zµμ]+|#|±|[\u4e00-\u9fff]+")
_BRACKETED = re.compile(r"[(\[{<（【]\s*([^)\]}>）】]*?)\s*[)\]}>）】]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PER_SECOND = re.compile(r"/\s*s(?:ec(?:ond)?)?\b|per[ _]sec")
_RATE = re.compile(r"fl?ops?\b|\btop?s\b|\bfps\b|through|bandwidth|speedup|\brate\b|速度|吞吐|带宽|帧率")
_PER_EPOCH = re.compile(
    r"(?:\bper|/|_per_|(?<=[a-z])/)[ _]*(?:epoch|iter|it\b|call|step|loop|launch|op\b|rep|run)|每[次轮步个]|单[次步]"
)
_NOT_SYNCHRONIZED = re.compile(
    r"\b(?:no|not|without|w/o|un|non)[ _-]*sync|unsync|async|enqueue|launch|dispatch|异步|未同步|不同步|无同步"
)
_SYNCHRONIZED = re.compile(r"sync|drained|block_until|\bblocking\b|until done|同步")

_SPREAD = word_set("std stdev stddev sd sem err error mad iqr var variance cv ± ci 标准差 方差 误差")
_STATISTIC = word_set("min minimum max maximum median mean avg average best worst p q")
_TIME = word_set("time times t elapsed duration latency wall walltime runtime cost took takes total")
_TIME_CHINESE = re.compile("时间|耗时|用时|时长|延迟|秒")
_EPOCHS = word_set(
    "epochs loops repetitions repeats reps iterations iters steps calls launches kernels runs n count num"
)
_PLAIN_EPOCHS = frozenset({"epochs", "repetitions", "loops"})
_EPOCHS_CHINESE = re.compile("次数|轮数|循环数|迭代数|遍数")
_INDEX = word_set("index idx iteration iter it call step trial run launch epoch i id no # rep repeat sample")
_INDEX_CHINESE = re.compile("序号|编号|第几|第.次|索引")
_SIZE = word_set(
    "size sizes dim dims dimension m k rows cols columns batch bytes kb mb elements length len seq units width height"
    " shape matrix square threads processes workers gpus resolution tokens"
)
_SIZE_CHINESE = re.compile("大小|尺寸|规模|维度|批|线程|矩阵")


def understand(name: str) -> Meaning:
    """Read a column's name; an empty or unknown one has no role."""
    lowered = _CAMEL.sub("_", name.strip()).lower()
    words = frozenset(_WORD.findall(lowered.replace("_", " ")))
    # `Time/s` is a time in seconds, `it/s` a rate.
    if _RATE.search(lowered) or (_PER_SECOND.search(lowered) and not words & _TIME):
        return Meaning(Role.RATE)
    if words & _SPREAD or "drain" in words:
        return Meaning(Role.SPREAD)
    s_per_unit = unit_of(lowered)
    if s_per_unit is not None or words & _TIME or _TIME_CHINESE.search(lowered):
        return _time(lowered, words, s_per_unit)
    kind = _x_kind(lowered, words)
    if kind is not None:
        is_plain = bool(words & _PLAIN_EPOCHS) or "epoch_count" in lowered
        return Meaning(Role.X, x=kind, is_plain_epochs=is_plain and kind is XKind.EPOCHS)
    if _SYNCHRONIZED.search(lowered) or _NOT_SYNCHRONIZED.search(lowered):
        return _time(lowered, words, None)
    return Meaning()


def unit_of(text: str) -> float | None:
    """Seconds of the unit of time a name or a sentence carries; None where there is none or several differ."""
    bracketed = {unit.lower() for unit in _BRACKETED.findall(text)}
    exact = {SECONDS_PER_UNIT[unit] for unit in bracketed if unit in SECONDS_PER_UNIT}
    if len(exact) == 1:
        return exact.pop()
    # Outside brackets `min` is more often a minimum and `h` a height.
    words = set(_WORD.findall(text.lower().replace("_", " "))) - {"min", "mins", "h", "hr", "分"}
    found = {SECONDS_PER_UNIT[word] for word in words if word in SECONDS_PER_UNIT}
    found |= {SECONDS_PER_UNIT[unit] for unit in ("毫秒", "微秒", "纳秒", "分钟", "小时") if unit in text}
    if not found and "秒" in text:
        return 1.0
    return found.pop() if len(found) == 1 else None


def _time(lowered: str, words: frozenset[str], s_per_unit: float | None) -> Meaning:
    return Meaning(
        _time_role(lowered),
        s_per_unit=s_per_unit,
        is_per_epoch=bool(_PER_EPOCH.search(lowered)),
        is_statistic=bool(words & _STATISTIC),
    )


def _time_role(lowered: str) -> Role:
    if _NOT_SYNCHRONIZED.search(lowered):
        return Role.UNSYNCHRONIZED
    return Role.SYNCHRONIZED if _SYNCHRONIZED.search(lowered) else Role.TIME


def _x_kind(lowered: str, words: frozenset[str]) -> XKind | None:
    if words & _SIZE or _SIZE_CHINESE.search(lowered):
        return XKind.SIZE
    if words & {"index", "idx", "#"} or _INDEX_CHINESE.search(lowered):
        return XKind.INDEX
    if words & _EPOCHS or _EPOCHS_CHINESE.search(lowered) or "epoch_count" in lowered:
        return XKind.EPOCHS
    return XKind.INDEX if words & _INDEX else None
