"""English: every verdict, next step, note and name of evidence."""

from bench_core.model.curve import XKind
from bench_core.model.diagnosis import Verdict
from bench_core.report.figures import Words
from bench_core.report.texts import Texts, Told

_WORDS = Words(
    verdicts={
        Verdict.LINEAR: "proportional time",
        Verdict.QUEUE_SATURATION: "a full launch queue",
        Verdict.UNSYNCHRONIZED: "a clock read before the device had finished",
        Verdict.WORK_ELIMINATED: "work that was not done",
        Verdict.IMPLAUSIBLE_RATE: "an impossible rate",
        Verdict.WARMUP: "a warm-up",
        Verdict.GROWING_COST: "a cost that keeps growing",
        Verdict.RAMP_THEN_PLATEAU: "a rise to a plateau",
        Verdict.THROTTLED: "a lowered clock",
        Verdict.BIMODAL: "two kinds of calls",
        Verdict.PERIODIC_SPIKES: "regular slow calls",
        Verdict.HOST_BOUND: "a device that waits for the host",
        Verdict.SIZE_SCALING: "time that follows the size",
        Verdict.INCONCLUSIVE: "no clear cause",
    },
    units={XKind.EPOCHS: "epochs", XKind.INDEX: "calls", XKind.SIZE: "sizes"},
    unit={XKind.EPOCHS: "epoch", XKind.INDEX: "call", XKind.SIZE: "call"},
)

_RATE = "that is {flop_per_s:rate}"
_PEAK = "the rate is {peak_fraction:percent} of the device's {ran_as} peak, so it ran in {ran_as}"

_TOLD = {
    Verdict.LINEAR: Told(
        what=(
            "nothing is wrong: these are times since the start ({total_s:time} in all), not times of single calls",
            "nothing is wrong: every {unit} costs the same",
        ),
        proof=(
            (
                "each {unit} takes {steady_s_per_epoch:time}, with {noise_fraction:percent} of noise",
                "each {unit} takes {steady_s_per_epoch:time}",
            ),
            _RATE,
            _PEAK,
        ),
        fallback="no explanation with a fault in it fits the readings better than equal costs do",
    ),
    Verdict.QUEUE_SATURATION: Told(
        what=(
            "the clock was read before the device had finished: about {knee_epoch_count:count} {units} go into a queue"
            " unhindered, and from there on each one waits for the device",
            "the clock was read before the device had finished: somewhere between {knee_low:count} and"
            " {knee_high:count} {units} a queue fills up, and from there on each one waits for the device",
            "the clock was read before the device had finished: at first work only goes into a queue, and once that"
            " is full each {unit} waits for the device",
        ),
        proof=(
            "the {unit} that seemed to cost {enqueue_s_per_epoch:time} costs {steady_s_per_epoch:time} at any count",
            "the bend means a queue of {queue_capacity:count} {units} (95 % interval {capacity_low:count} to"
            " {capacity_high:count})",
            (
                "the device runs at {flop_per_s:rate} throughout, while the readings before the bend would mean"
                " {apparent_flop_per_s:rate}, {apparent_excess_ratio:ratio} times what is possible",
                "the device runs at {flop_per_s:rate} throughout",
            ),
            _PEAK,
        ),
        fallback="the time bends up sharply once and is straight before and after",
        advice="wait for the device before reading the clock",
    ),
    Verdict.UNSYNCHRONIZED: Told(
        what=("the clock was read before the device had finished: these times are the cost of handing work over",),
        proof=(
            "the stopwatch shows {enqueue_s_per_epoch:time} for one {unit} that takes {steady_s_per_epoch:time}",
            "the readings would mean {apparent_flop_per_s:rate}, and this device cannot exceed {limit_flop_per_s:rate}",
            "{excess_ratio:ratio} times the possible",
            "the time stays at {level_s:time} while the size grows {size_ratio:ratio}-fold",
            "the other column grows {other_growth_ratio:ratio}-fold over the same sizes",
            "with the wait the largest size takes {missed_ratio:ratio} times as long",
        ),
        fallback="nobody waited for the device, and nothing in the times depends on its work",
    ),
    Verdict.WORK_ELIMINATED: Told(
        what=("the work was not done: it was optimized away, skipped or never started",),
        proof=(
            "the time stays at {intercept_s:time} while the {units} grow {epoch_count_ratio:ratio}-fold",
            "the time means {flop_per_s:rate}, {excess_ratio:ratio} times the {limit_flop_per_s:rate} that are"
            " possible here",
        ),
        fallback="the time does not depend on the amount of work",
        advice="use neither this time nor the loop that gave it",
    ),
    Verdict.IMPLAUSIBLE_RATE: Told(
        what=(
            "no such device is this fast: either the clock was read before it had finished, or the work was not done",
        ),
        proof=(
            "the times mean {flop_per_s:rate}",
            "that is {excess_ratio:ratio} times the {limit_flop_per_s:rate} that are possible here",
            "the memory would have to move {bytes_per_s:bytes_rate}",
        ),
        fallback="the times are too short for the work that was stated",
        advice="do not publish this rate",
    ),
    Verdict.WARMUP: Told(
        what=("the first {units} pay a one-time cost, and the rest are in order",),
        proof=(
            "beyond the steady {steady_s_per_epoch:time} a call, the first {warmup_call_count:first_calls} cost"
            " {warmup_s:time} more",
            "this comes in {several_stages:count} stages",
            "it is as much as {amortizes_over_call_count:calls} in steady state",
            "{intercept_s:time} come before the first epoch, as much as {amortizes_over_epoch_count:epochs} of"
            " {steady_s_per_epoch:time}",
        ),
        fallback="the beginning is slower than all that follows",
        advice="report the start apart from the steady cost",
    ),
    Verdict.GROWING_COST: Told(
        what=("each {unit} costs more than the one before, without an end in sight",),
        proof=(
            "a call rises from {first_s:time} to {last_s:time}, by {growth_s_per_call:time} each",
            "{projected_call_count:calls} would take {projected_total_s:time}",
            "an epoch rises to {last_s_per_epoch:time}, by {growth_s_per_epoch:time} each",
            "{projected_epoch_count:epochs} would take {projected_total_s:time}",
        ),
        fallback="the cost rises with the count from the beginning to the end",
        advice="look for retracing, a graph that grows or a leak",
    ),
    Verdict.RAMP_THEN_PLATEAU: Told(
        what=(
            "each {unit} is slower than the last at first, and then they stay alike: something fills up or"
            " settles, nothing leaks",
        ),
        proof=(
            "a call rises from {first_s:time} to {plateau_s:time}, {rise_ratio:ratio} times as much",
            "it is level from call {plateau_from_call:count} on",
        ),
        fallback="the cost rises and then stays level",
        advice="report the plateau",
    ),
    Verdict.THROTTLED: Told(
        what=("the device slowed down on the way and stayed slow, as heat or a power limit make it do",),
        proof=(
            "from call {slows_at_call:count} on calls slow down, to {slow_s:time} instead of {fast_s:time} each",
            "after {slows_at_epoch_count:epochs} an epoch takes {steady_s_per_epoch:time} instead of"
            " {s_per_epoch_before:time}",
            "{slowdown_ratio:ratio} times as long is within what a lowered clock explains",
        ),
        fallback="the cost rises once by a ratio that a lowered clock explains",
        advice="cool the device or lock its clock before comparing anything",
    ),
    Verdict.BIMODAL: Told(
        what=("there are two kinds of calls, and their mean describes neither",),
        proof=(
            "{slow_share_fraction:percent} of the calls take {slow_s:time}, the others {fast_s:time}",
            "the pattern repeats every {period_calls:count} calls",
        ),
        fallback="the times fall into two groups with nothing between them",
        advice="report both groups and their shares",
    ),
    Verdict.PERIODIC_SPIKES: Told(
        what=(
            "one call in {period_calls:count} is slow, and those between are in order",
            "some calls are slow at regular distances, and those between are in order",
        ),
        proof=("{slow_share_fraction:percent} of the calls take {slow_s:time} instead of {fast_s:time}",),
        fallback="the slow calls come at equal distances",
        advice="report the slow calls apart from the rest",
    ),
    Verdict.HOST_BOUND: Told(
        what=("the device waits for the host: what is timed is the handing over of work, not the work",),
        proof=(
            "the time stays at {level_s:time} while the size grows {size_ratio:ratio}-fold",
            "the other column grows {other_growth_ratio:ratio}-fold over the same sizes",
            "each {unit} takes {steady_s_per_epoch:time} whatever the device has to do",
            _RATE,
            "which is {peak_fraction:percent} of the device's {ran_as} peak",
        ),
        fallback="the time does not depend on the work of the device",
        advice="hand over more work at a time",
    ),
    Verdict.SIZE_SCALING: Told(
        what=(
            "nothing is wrong: below a size of {crossover_size:size} a fixed latency rules, above it the work",
            "nothing is wrong: the time follows the problem size",
        ),
        proof=(
            "the latency is {latency_s:time}",
            "above it the time grows with the size to the power {size_exponent:ratio}",
            "the fit leaves {noise_fraction:percent} of noise",
        ),
        fallback="the time grows steadily with the size",
    ),
    Verdict.INCONCLUSIVE: Told(
        what=(
            "these readings do not tell the cause: they bend like {contradicting_explanation:verdict}, which"
            " contradicts that the device was waited for (--synchronized yes, or the name of the column)",
            "these readings do not tell the cause: on average an epoch gets cheaper from {first_s_per_epoch:time} to"
            " {last_s_per_epoch:time}, and no straight line does that",
            "these readings do not tell the cause: {best_explanation:verdict} fits best, yet not well enough to say so",
            "these readings do not tell the cause",
        ),
        proof=(
            "the time grows with the epochs to the power {epoch_exponent:ratio} only",
            "its weight is {confidence:percent}, that of {other_explanation:verdict} {other_weight_fraction:percent}",
            "the best fit leaves {noise_fraction:percent} of noise",
            "the times mean {flop_per_s:rate}, which is possible: {peak_fraction:percent} of the device's {ran_as}"
            " peak",
        ),
        fallback="too few readings are there for any explanation to fail",
    ),
}

_STEPS = {
    "none": "nothing needs to be measured again",
    "measure_between": "time {epoch_count:count} {units} next, as the bend lies between {low_epoch_count:count} and"
    " {high_epoch_count:count}",
    "measure_more": "take {reading_count:count} more readings, up to N = {up_to:size}",
    "synchronize": "wait for the device before each reading of the clock and time it again",
    "resize_queue": "to prove the cause, resize the queue (on CUDA by CUDA_SCALE_LAUNCH_QUEUES=4x, set before the first"
    " call): the bend at {knee_epoch_count:count} must move with it",
    "keep_result": "make every {unit} depend on the one before and time {epoch_count:count} and"
    " {doubled_epoch_count:count} {units}: the time must double",
    "state_work": "state the FLOP of one {unit} and the device (--shape and --gpu), so that the rate can be held"
    " against a peak",
    "skip_warmup": "leave out the first {call_count:first_calls} and time those that follow",
    "log_growth": "log traces, graph nodes and memory up to {up_to:count} {units}: what grows with the time is the"
    " cause",
    "log_clocks": "log clock, temperature and power around {unit} {call_index:count}",
    "label_calls": "log input and state of every call: those of {slow_s:time} differ from those of {fast_s:time} in"
    " something",
    "find_period": "look for what happens every {period_calls:count} calls, such as logging, a checkpoint or a"
    " collection",
    "enlarge_work": "time a size of {size:size}, where the device and not the host decides",
}

_NOTES = {
    "columns_ignored": "columns not used: {names}",
    "seconds_assumed": "no unit is given: times are taken for seconds",
    "epochs_assumed": "each row is taken for a separate loop of N epochs (else: --x index or --x size)",
    "index_assumed": "N counts 1, 2, 3, ...: each row is taken for one call (else: --x epochs)",
    "index_assumed_per_call": "times are per call: each row is taken for one call (else: --x epochs)",
    "multiplied_per_epoch": "times are per epoch: multiplied by N to get totals",
    "rows_left_out": "rows without a time, left out: {count}",
    "zero_epochs_left_out": "rows with 0 epochs, left out: {count}",
    "rows_thinned": "{kept} of {count} rows are used, at equal factors of N",
    "calls_sorted": "rows were not in order of N: sorted",
    "repeats_merged": "rows that repeat an N, replaced by their median: {count}",
    "second_ignored": "the second column of times is not used: its name does not say `synchronized`",
    "second_incomplete": "the second column of times has gaps and is not used",
    "synchronized_by_name": "by its name the column of times was synchronized (else: --synchronized no)",
    "unsynchronized_by_name": "by its name the column of times was not synchronized (else: --synchronized yes)",
}

_EVIDENCE = {
    "confidence": "weight of this verdict among those compared",
    "knee_epoch_count": "knee",
    "knee_interval": "knee, 95 % interval or bracket",
    "queue_capacity": "queue capacity",
    "queue_capacity_interval": "queue capacity, 95 % interval",
    "enqueue_s_per_epoch": "host's cost of one",
    "steady_s_per_epoch": "device's cost of one",
    "intercept_s": "cost before the first",
    "flop_per_s": "rate",
    "peak_fraction": "share of the peak",
    "ran_as": "ran as",
    "proof_verdict": "proof of the work",
    "noise_fraction": "noise around the fit",
    "outlier_count": "late readings",
    "slope_ratio": "slope after the knee / before",
    "apparent_flop_per_s": "rate the fastest reading would mean",
    "limit_flop_per_s": "highest possible rate",
    "excess_ratio": "times above the possible",
    "bytes_per_s": "memory traffic",
    "queue_capacity_at_bend": "queue capacity read at the knee",
    "queue_capacity_at_end": "queue capacity read from the drain",
    "capacity_readings_agree": "the two readings agree",
    "amortizes_over_epoch_count": "epochs that cost as much as the start",
    "amortizes_over_call_count": "calls that cost as much as the warm-up",
    "warmup_call_count": "warm-up calls",
    "warmup_s": "cost of the warm-up",
    "warmup_stage_count": "stages of the warm-up",
    "steady_low_s_per_epoch": "device's cost of one, 95 % interval from",
    "steady_high_s_per_epoch": "device's cost of one, 95 % interval to",
    "saturated_s_per_epoch": "cost of one while the queue is full",
    "saturated_trace_count": "traces that filled the queue",
    "startup_s": "start before the first call",
    "fast_s": "fast calls",
    "slow_s": "slow calls",
    "slow_share_fraction": "share of slow calls",
    "period_calls": "calls from one to the next",
    "slowdown_ratio": "slow / fast",
    "best_explanation": "best explanation",
    "contradicting_explanation": "explanation that contradicts the waiting",
    "other_explanation": "next best explanation",
    "other_weight_fraction": "weight of the next best",
    "latency_s": "latency",
    "crossover_size": "size where work outweighs latency",
    "size_exponent": "exponent of the size",
    "s_per_size_unit": "seconds per unit of size to that power",
    "level_s": "level of the times",
    "level_from_size": "level from size",
    "size_ratio": "largest / smallest size",
    "other_growth_ratio": "other column, last / first",
    "missed_ratio": "synchronized / unsynchronized time",
    "total_s": "time since the start",
    "s_per_call": "cost of one call",
    "epoch_exponent": "exponent of the epochs",
    "epoch_count_ratio": "largest / smallest count",
    "first_s": "first calls",
    "last_s": "last calls",
    "plateau_s": "plateau",
    "plateau_from_call": "level from call",
    "rise_ratio": "plateau / first calls",
    "growth_s_per_call": "growth of each call",
    "growth_s_per_epoch": "growth of each epoch",
    "first_s_per_epoch": "first epochs",
    "last_s_per_epoch": "last epochs",
    "projected_total_s": "projected total",
    "projected_call_count": "projected for so many calls",
    "projected_epoch_count": "projected for so many epochs",
    "s_per_epoch_before": "cost of one before",
    "slows_at_call": "slower from call",
    "slows_at_epoch_count": "slower after epoch",
}

_LABELS = {
    "verdict": "verdict",
    "also": "also",
    "evidence": "Evidence",
    "assumed": "Assumed while reading",
    "yes": "yes",
    "no": "no",
    "to": "to",
}

ENGLISH = Texts(
    words=_WORDS,
    told=_TOLD,
    steps=_STEPS,
    notes=_NOTES,
    evidence=_EVIDENCE,
    labels=_LABELS,
    clause_end="; ",
    sentence_end=".",
    sentence_gap=" ",
)
