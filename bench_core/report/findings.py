"""What the curves of a run mean together, in plain words."""

from collections.abc import Sequence

from bench_core.model.curve import CurvePoint, ScalingCurve, XKind
from bench_core.model.diagnosis import Diagnosis, Verdict
from bench_core.model.mitigation import CONTROL
from bench_core.model.units import format_count, format_duration, format_rate
from bench_core.report.curve_table import RunCurve
from bench_core.report.figures import format_ratio
from bench_core.report.language import Language
from bench_core.report.messages import tell
from bench_core.report.proof_words import proof_sentence

# On a CPU the enqueuing thread takes time from the device's own, so an epoch is dearer in short loops; beyond a knee
# that costs something it would be dearer in long ones.
_CONSTANT_WITHIN = 1.15

_WORDS = {
    Language.EN: {
        "constant": "Wherever somebody waited, from {first} to {last} epochs, an epoch took {fastest} to {slowest}: the"
        " device's cost per epoch is constant, nothing gets slower at the knee.",
        "no_dearer": "Wherever somebody waited, from {first} to {last} epochs, an epoch took {fastest} to {slowest},"
        " the longest loop no more than the shortest: nothing gets slower at the knee.",
        "impossible": "At {epoch_count} epochs the stopwatch would mean {rate}, {ratio} times the {ceiling} that this"
        " device reached at best in this run: the work cannot have been finished when the clock was read.",
        "twice": "The capacity is read twice: {at_bend} epochs at the bend, {at_end} from what was left to wait for.",
        "eliminated": "{mitigation} did no work, and so it is no mitigation.",
    },
    Language.ZH: {
        "constant": "凡等待设备完成的测量，从 {first} 次到 {last} 次，每次都是 {fastest} 至 {slowest}："
        "设备每次的开销不变，拐点处没有任何东西变慢。",
        "no_dearer": "凡等待设备完成的测量，从 {first} 次到 {last} 次，每次为 {fastest} 至 {slowest}，最长的循环不比"
        "最短的更贵：拐点处没有任何东西变慢。",
        "impossible": "在 {epoch_count} 次处，秒表的读数意味着 {rate}，是本次运行中该设备最高速率 {ceiling} 的 {ratio}"
        " 倍：读时钟时计算不可能已经完成。",
        "twice": "容量有两种读法：由拐点得 {at_bend} 次，由剩余的等待得 {at_end} 次。",
        "eliminated": "{mitigation} 没有执行计算，因此不是解决办法。",
    },
}


def find(run_curve: RunCurve, language: Language) -> tuple[str, ...]:
    """The diagnosis of a curve in sentences; what a mitigation does to its cost is said by the table of mitigations."""
    curve, points, diagnosis = run_curve
    message = tell(diagnosis, XKind.EPOCHS, language)
    sentences = [message.what, message.proof]
    sentences += _constant_cost(points, diagnosis, language)
    sentences += _impossible_reading(curve, points, diagnosis, language)
    sentences += _capacity_twice(diagnosis, language)
    sentences += _no_mitigation(curve, diagnosis, language)
    sentences += [proof_sentence(curve.proof, language)] if curve.proof else []
    return (*sentences, message.advice)


def did_no_work(diagnosis: Diagnosis) -> bool:
    """Whether the verdict says that the work was not done."""
    return Verdict.WORK_ELIMINATED in (diagnosis.verdict, *diagnosis.also)


def _constant_cost(points: Sequence[CurvePoint], diagnosis: Diagnosis, language: Language) -> list[str]:
    measured = sorted((point.epoch_count, point.wall_time_s) for point in points if point.wall_time_s)
    if diagnosis.verdict is not Verdict.QUEUE_SATURATION or len(measured) < 2:
        return []
    costs = [wall_time_s / epoch_count for epoch_count, wall_time_s in measured]
    if costs[-1] > _CONSTANT_WITHIN * costs[0]:
        return []
    values = {
        "first": format_count(measured[0][0]),
        "last": format_count(measured[-1][0]),
        "fastest": format_duration(min(costs)),
        "slowest": format_duration(max(costs)),
    }
    wording = "constant" if max(costs) <= _CONSTANT_WITHIN * min(costs) else "no_dearer"
    return [_WORDS[language][wording].format(**values)]


def _impossible_reading(
    curve: ScalingCurve, points: Sequence[CurvePoint], diagnosis: Diagnosis, language: Language
) -> list[str]:
    work = curve.work
    # Where no work was done the verdict's own sentence has the impossible rate.
    if work.flop_per_epoch is None or not work.ceiling_flop_per_s or did_no_work(diagnosis):
        return []
    rates = [
        (work.flop_per_epoch * point.epoch_count / point.enqueue_time_s, point.epoch_count)
        for point in points
        if point.enqueue_time_s
    ]
    rate, count = max(rates, default=(0.0, 0))
    if rate <= work.ceiling_flop_per_s * (1 + work.ceiling_uncertainty_fraction):
        return []
    return [
        _WORDS[language]["impossible"].format(
            epoch_count=format_count(count),
            rate=format_rate(rate),
            ceiling=format_rate(work.ceiling_flop_per_s),
            ratio=format_ratio(rate / work.ceiling_flop_per_s),
        )
    ]


def _capacity_twice(diagnosis: Diagnosis, language: Language) -> list[str]:
    at_bend, at_end = (diagnosis.evidence.get(f"queue_capacity_at_{place}") for place in ("bend", "end"))
    if not isinstance(at_bend, float) or not isinstance(at_end, float):
        return []
    return [_WORDS[language]["twice"].format(at_bend=format_count(at_bend), at_end=format_count(at_end))]


def _no_mitigation(curve: ScalingCurve, diagnosis: Diagnosis, language: Language) -> list[str]:
    mitigation = curve.key.mitigation if curve.key else CONTROL
    if mitigation == CONTROL or not did_no_work(diagnosis):
        return []
    return [_WORDS[language]["eliminated"].format(mitigation=mitigation)]
