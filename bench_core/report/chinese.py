"""Chinese: every verdict, next step, note and name of evidence."""

from bench_core.model.curve import XKind
from bench_core.model.diagnosis import Verdict
from bench_core.report.figures import Words
from bench_core.report.texts import Texts, Told

_WORDS = Words(
    verdicts={
        Verdict.LINEAR: "耗时成正比",
        Verdict.QUEUE_SATURATION: "启动队列已满",
        Verdict.UNSYNCHRONIZED: "设备未完成就读了时钟",
        Verdict.WORK_ELIMINATED: "计算并未执行",
        Verdict.IMPLAUSIBLE_RATE: "不可能的速率",
        Verdict.WARMUP: "预热",
        Verdict.GROWING_COST: "开销不断增长",
        Verdict.RAMP_THEN_PLATEAU: "先升后平",
        Verdict.THROTTLED: "降频",
        Verdict.BIMODAL: "两类调用",
        Verdict.PERIODIC_SPIKES: "周期性慢调用",
        Verdict.HOST_BOUND: "设备在等主机",
        Verdict.SIZE_SCALING: "耗时随规模变化",
        Verdict.INCONCLUSIVE: "原因不明",
    },
    units={XKind.EPOCHS: "次", XKind.INDEX: "次调用", XKind.SIZE: "规模"},
    unit={XKind.EPOCHS: "次", XKind.INDEX: "次调用", XKind.SIZE: "次调用"},
)

_RATE = "即 {flop_per_s:rate}"
_PEAK = "这一速率为该设备 {ran_as} 峰值的 {peak_fraction:percent}，说明实际以 {ran_as} 运行"

_TOLD = {
    Verdict.LINEAR: Told(
        what=(
            "一切正常：这些数是从开始算起的累计时间（共 {total_s:time}），不是单次调用的时间",
            "一切正常：每{unit}的耗时相同",
        ),
        proof=(
            (
                "每{unit}耗时 {steady_s_per_epoch:time}，噪声 {noise_fraction:percent}",
                "每{unit}耗时 {steady_s_per_epoch:time}",
            ),
            _RATE,
            _PEAK,
        ),
        fallback="没有任何故障解释比“耗时相同”拟合得更好",
    ),
    Verdict.QUEUE_SATURATION: Told(
        what=(
            "设备还没算完就读了时钟：前约 {knee_epoch_count:count} {units}只是进入队列，此后每{unit}都要等设备",
            "设备还没算完就读了时钟：在 {knee_low:count} 到 {knee_high:count} {units}之间队列被填满，"
            "此后每{unit}都要等设备",
            "设备还没算完就读了时钟：起初只是进入队列，队列满后每{unit}都要等设备",
        ),
        proof=(
            "看似每{unit}只要 {enqueue_s_per_epoch:time}，其实始终是 {steady_s_per_epoch:time}",
            "由拐点得出队列容量为 {queue_capacity:count} {units}（95 % 区间 {capacity_low:count} 至"
            " {capacity_high:count}）",
            (
                "设备始终以 {flop_per_s:rate} 运行，而拐点前的读数意味着 {apparent_flop_per_s:rate}，是可能值的"
                " {apparent_excess_ratio:ratio} 倍",
                "设备始终以 {flop_per_s:rate} 运行",
            ),
            _PEAK,
        ),
        fallback="耗时曲线只有一个急剧的拐点，前后都是直线",
        advice="读时钟之前先等设备完成",
    ),
    Verdict.UNSYNCHRONIZED: Told(
        what=("设备还没算完就读了时钟：这些时间只是提交任务的开销",),
        proof=(
            "秒表显示每{unit} {enqueue_s_per_epoch:time}，实际需要 {steady_s_per_epoch:time}",
            "读数意味着 {apparent_flop_per_s:rate}，是此处可能的 {limit_flop_per_s:rate} 的"
            " {apparent_excess_ratio:ratio} 倍",
            "规模增至 {size_ratio:ratio} 倍，时间却停在 {level_s:time}",
            "同样的规模下，另一列增至 {other_growth_ratio:ratio} 倍",
            "补上等待后，最大规模的时间为原来的 {missed_ratio:ratio} 倍",
        ),
        fallback="没有人等待设备完成，这些时间与设备的计算量无关",
    ),
    Verdict.WORK_ELIMINATED: Told(
        what=("计算并未执行：被优化掉、被跳过，或根本没有启动",),
        proof=(
            "次数增至 {epoch_count_ratio:ratio} 倍，时间却停在 {intercept_s:time}",
            "这一时间意味着 {flop_per_s:rate}，是此处可能的 {limit_flop_per_s:rate} 的 {excess_ratio:ratio} 倍",
        ),
        fallback="时间与计算量无关",
        advice="不要采用这个时间，也不要采用得出它的循环写法",
    ),
    Verdict.IMPLAUSIBLE_RATE: Told(
        what=("没有设备能这么快：要么设备没算完就读了时钟，要么计算并未执行",),
        proof=(
            "这些时间意味着 {flop_per_s:rate}",
            "是此处可能的 {limit_flop_per_s:rate} 的 {excess_ratio:ratio} 倍",
            "内存须传输 {bytes_per_s:bytes_rate}",
        ),
        fallback="对所说的计算量来说，这些时间太短",
        advice="不要发布这个速率",
    ),
    Verdict.WARMUP: Told(
        what=("开头付出一次性的开销，其余正常",),
        proof=(
            "稳定时每次 {steady_s_per_epoch:time}，前 {warmup_call_count:count} 次调用共多出 {warmup_s:time}",
            "分 {several_stages:count} 段",
            "相当于 {amortizes_over_call_count:count} 次调用的时间",
            "第一次之前先有 {intercept_s:time}，相当于 {amortizes_over_epoch_count:count} 次（每次"
            " {steady_s_per_epoch:time}）",
        ),
        fallback="开头比之后都慢",
        advice="把启动开销与稳定开销分开报告",
    ),
    Verdict.GROWING_COST: Told(
        what=("每{unit}都比前一{unit}更慢，看不到尽头",),
        proof=(
            "单次调用从 {first_s:time} 升到 {last_s:time}，每次增加 {growth_s_per_call:time}",
            "{projected_call_count:count} 次调用将需要 {projected_total_s:time}",
            "每次升到 {last_s_per_epoch:time}，逐次增加 {growth_s_per_epoch:time}",
            "{projected_epoch_count:count} 次将需要 {projected_total_s:time}",
        ),
        fallback="开销从头到尾随次数上升",
        advice="检查是否重复追踪、计算图增长或泄漏",
    ),
    Verdict.RAMP_THEN_PLATEAU: Told(
        what=("每{unit}先变慢，然后保持不变：有东西在填满或趋稳，没有泄漏",),
        proof=(
            "单次调用从 {first_s:time} 升到 {plateau_s:time}，为 {rise_ratio:ratio} 倍",
            "从第 {plateau_from_call:count} 次调用起持平",
        ),
        fallback="开销先上升，后持平",
        advice="报告平台值",
    ),
    Verdict.THROTTLED: Told(
        what=("设备中途变慢且不再恢复，如同过热或功耗限制所致",),
        proof=(
            "从第 {slows_at_call:count} 次调用起变慢，每次 {slow_s:time}，之前为 {fast_s:time}",
            "{slows_at_epoch_count:count} 次之后，每次 {steady_s_per_epoch:time}，之前为 {s_per_epoch_before:time}",
            "{slowdown_ratio:ratio} 倍的差别可由降频解释",
        ),
        fallback="开销上升一次，幅度可由降频解释",
        advice="先冷却设备或锁定频率，再作比较",
    ),
    Verdict.BIMODAL: Told(
        what=("有两类调用，平均值哪一类都不代表",),
        proof=(
            "{slow_share_fraction:percent} 的调用为 {slow_s:time}，其余为 {fast_s:time}",
            "每 {period_calls:count} 次调用重复一遍",
        ),
        fallback="时间分成两组，中间没有值",
        advice="分别报告两组及其占比",
    ),
    Verdict.PERIODIC_SPIKES: Told(
        what=("每 {period_calls:count} 次调用有一次慢，其间正常", "每隔固定次数有一次慢，其间正常"),
        proof=("{slow_share_fraction:percent} 的调用为 {slow_s:time}，而非 {fast_s:time}",),
        fallback="慢调用的间隔相等",
        advice="把慢调用与其余分开报告",
    ),
    Verdict.HOST_BOUND: Told(
        what=("设备在等主机：测到的是提交任务的开销，不是计算",),
        proof=(
            "规模增至 {size_ratio:ratio} 倍，时间却停在 {level_s:time}",
            "同样的规模下，另一列增至 {other_growth_ratio:ratio} 倍",
            "无论设备要算多少，每{unit}都是 {steady_s_per_epoch:time}",
            _RATE,
            "为该设备 {ran_as} 峰值的 {peak_fraction:percent}",
        ),
        fallback="时间与设备的计算量无关",
        advice="每次提交更多的计算",
    ),
    Verdict.SIZE_SCALING: Told(
        what=(
            "一切正常：规模小于 {crossover_size:size} 时由固定延迟决定，更大时由计算决定",
            "一切正常：耗时随问题规模变化",
        ),
        proof=(
            "延迟为 {latency_s:time}",
            "更大时耗时随规模的 {size_exponent:ratio} 次方增长",
            "拟合剩余噪声 {noise_fraction:percent}",
        ),
        fallback="耗时随规模稳定增长",
    ),
    Verdict.INCONCLUSIVE: Told(
        what=(
            "这些读数说明不了原因：它们像“{contradicting_explanation:verdict}”那样弯折，与“已等待设备”"
            "（--synchronized yes 或列名）矛盾",
            "这些读数说明不了原因：平均每次从 {first_s_per_epoch:time} 降到 {last_s_per_epoch:time}，不是一条直线",
            "这些读数说明不了原因：“{best_explanation:verdict}”拟合最好，但不足以下结论",
            "这些读数说明不了原因",
        ),
        proof=(
            "耗时只随次数的 {epoch_exponent:ratio} 次方增长",
            "其权重为 {confidence:percent}，“{other_explanation:verdict}”为 {other_weight_fraction:percent}",
            "最好的拟合仍剩 {noise_fraction:percent} 噪声",
            "这些时间意味着 {flop_per_s:rate}，是可能的：该设备 {ran_as} 峰值的 {peak_fraction:percent}",
        ),
        fallback="读数太少，什么解释都推翻不了",
    ),
}

_STEPS = {
    "none": "无须再测",
    "measure_between": "下一步测 {epoch_count:count} {units}，因为拐点在 {low_epoch_count:count} 与"
    " {high_epoch_count:count} 之间",
    "measure_more": "再取 {reading_count:count} 个读数，直到 N = {up_to:size}",
    "synchronize": "每次读时钟之前先等设备完成，再测一遍",
    "resize_queue": "要证实原因，可改变队列长度（CUDA 上在第一次调用前设置 CUDA_SCALE_LAUNCH_QUEUES=4x）：位于"
    " {knee_epoch_count:count} 的拐点应随之移动",
    "keep_result": "让每{unit}都依赖前一{unit}的结果，测 {epoch_count:count} 与 {doubled_epoch_count:count}"
    " {units}：时间应当加倍",
    "state_work": "给出每{unit}的 FLOP 数和设备（--shape 与 --gpu），才能把速率与峰值相比",
    "skip_warmup": "去掉前 {call_count:count} 次调用，只测其后的",
    "log_growth": "记录追踪次数、计算图节点数和内存，直到 {up_to:count} {units}：随时间一起增长的就是原因",
    "log_clocks": "在第 {call_index:count} {unit}前后记录频率、温度和功耗",
    "label_calls": "记录每次调用的输入和状态：{slow_s:time} 的与 {fast_s:time} 的必有不同",
    "find_period": "查明每 {period_calls:count} 次调用发生什么，例如写日志、存检查点或垃圾回收",
    "enlarge_work": "测规模 {size:size}，那里由设备而非主机决定",
}

_NOTES = {
    "columns_ignored": "未使用的列：{names}",
    "seconds_assumed": "没有单位：时间按秒计",
    "epochs_assumed": "每行视为单独一个 N 次的循环（否则用 --x index 或 --x size）",
    "index_assumed": "N 为 1、2、3……：每行视为一次调用（否则用 --x epochs）",
    "index_assumed_per_call": "时间是单次的：每行视为一次调用（否则用 --x epochs）",
    "multiplied_per_epoch": "时间是单次的：已乘以 N 得到总时间",
    "rows_left_out": "没有时间的行，已略去：{count}",
    "zero_epochs_left_out": "N 为 0 的行，已略去：{count}",
    "rows_thinned": "{count} 行中按 N 的等比取用 {kept} 行",
    "calls_sorted": "各行未按 N 排列：已排序",
    "repeats_merged": "N 重复的行，已用中位数代替：{count}",
    "second_ignored": "第二列时间未使用：列名没有说明“同步”（synchronized）",
    "second_incomplete": "第二列时间有缺，未使用",
    "synchronized_by_name": "按列名，时间是同步后的（否则用 --synchronized no）",
    "unsynchronized_by_name": "按列名，时间是未同步的（否则用 --synchronized yes）",
}

_EVIDENCE = {
    "confidence": "该结论在各解释中的权重",
    "knee_epoch_count": "拐点",
    "knee_interval": "拐点的 95 % 区间或所在范围",
    "queue_capacity": "队列容量",
    "queue_capacity_interval": "队列容量的 95 % 区间",
    "enqueue_s_per_epoch": "主机每次的开销",
    "steady_s_per_epoch": "设备每次的开销",
    "intercept_s": "第一次之前的开销",
    "flop_per_s": "速率",
    "peak_fraction": "占峰值的比例",
    "ran_as": "实际精度",
    "proof_verdict": "计算的证明",
    "noise_fraction": "拟合剩余噪声",
    "outlier_count": "偏慢的读数",
    "slope_ratio": "拐点后与前的斜率之比",
    "apparent_flop_per_s": "最快读数意味着的速率",
    "limit_flop_per_s": "可能的最高速率",
    "excess_ratio": "超出可能值的倍数",
    "bytes_per_s": "内存流量",
    "queue_capacity_at_bend": "由拐点得出的容量",
    "queue_capacity_at_end": "由排空时间得出的容量",
    "capacity_readings_agree": "两种读法一致",
    "amortizes_over_epoch_count": "与启动开销相当的次数",
    "amortizes_over_call_count": "与预热开销相当的调用数",
    "warmup_call_count": "预热调用数",
    "warmup_s": "预热开销",
    "warmup_stage_count": "预热段数",
    "steady_low_s_per_epoch": "设备每次开销的 95 % 区间下限",
    "steady_high_s_per_epoch": "设备每次开销的 95 % 区间上限",
    "saturated_s_per_epoch": "队列满时每次的开销",
    "saturated_trace_count": "填满队列的记录数",
    "startup_s": "第一次调用之前的启动时间",
    "fast_s": "快的调用",
    "slow_s": "慢的调用",
    "slow_share_fraction": "慢调用占比",
    "period_calls": "周期（调用数）",
    "slowdown_ratio": "慢与快之比",
    "best_explanation": "最好的解释",
    "contradicting_explanation": "与“已等待”矛盾的解释",
    "other_explanation": "其次的解释",
    "other_weight_fraction": "其次解释的权重",
    "latency_s": "延迟",
    "crossover_size": "计算超过延迟的规模",
    "size_exponent": "规模的指数",
    "s_per_size_unit": "每单位规模（该次方）的秒数",
    "level_s": "持平的时间",
    "level_from_size": "持平始于规模",
    "size_ratio": "最大与最小规模之比",
    "other_growth_ratio": "另一列末与首之比",
    "missed_ratio": "同步与未同步时间之比",
    "total_s": "从开始算起的时间",
    "s_per_call": "单次调用的开销",
    "epoch_exponent": "次数的指数",
    "epoch_count_ratio": "最大与最小次数之比",
    "first_s": "最初的调用",
    "last_s": "最后的调用",
    "plateau_s": "平台值",
    "plateau_from_call": "持平始于第几次调用",
    "rise_ratio": "平台与最初之比",
    "growth_s_per_call": "每次调用的增长",
    "growth_s_per_epoch": "每次的增长",
    "first_s_per_epoch": "最初每次",
    "last_s_per_epoch": "最后每次",
    "projected_total_s": "预计总时间",
    "projected_call_count": "预计的调用数",
    "projected_epoch_count": "预计的次数",
    "s_per_epoch_before": "变慢之前每次",
    "slows_at_call": "从第几次调用起变慢",
    "slows_at_epoch_count": "多少次之后变慢",
}

_LABELS = {
    "verdict": "结论",
    "also": "同时",
    "evidence": "依据",
    "assumed": "读表时的假定",
    "yes": "是",
    "no": "否",
    "to": "至",
}

CHINESE = Texts(
    words=_WORDS,
    told=_TOLD,
    steps=_STEPS,
    notes=_NOTES,
    evidence=_EVIDENCE,
    labels=_LABELS,
    clause_end="；",
    sentence_end="。",
    sentence_gap="",
)
