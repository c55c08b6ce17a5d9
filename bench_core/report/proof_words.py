"""The proof of a curve in one sentence: what was counted, looked at and awaited, and what it says together."""

from bench_core.model.proof import Proof, ProofVerdict
from bench_core.model.units import format_duration
from bench_core.report.language import Language

_VERDICTS = {
    Language.EN: {
        ProofVerdict.PROVEN: "Proven: {evidence}.",
        ProofVerdict.WORK_ELIMINATED: "Disproven, the work was eliminated: {evidence}.",
        ProofVerdict.WORK_SKIPPED: "Disproven, epochs were skipped: {evidence}.",
        ProofVerdict.NOT_FINISHED: "Disproven, the work was not finished when the clock was read: {evidence}.",
        ProofVerdict.WRONG_PRODUCT: "Disproven, the product is wrong: {evidence}.",
        ProofVerdict.OTHER_PRECISION: "Disproven, it ran in another precision: {evidence}.",
        ProofVerdict.IMPLAUSIBLE_RATE: "Not believed, the rate is above what this device can do: {evidence}.",
        ProofVerdict.UNPROVEN: "Unproven: {evidence}.",
    },
    Language.ZH: {
        ProofVerdict.PROVEN: "已证实：{evidence}。",
        ProofVerdict.WORK_ELIMINATED: "被否定，计算被消除：{evidence}。",
        ProofVerdict.WORK_SKIPPED: "被否定，有些次数被跳过：{evidence}。",
        ProofVerdict.NOT_FINISHED: "被否定，读时钟时计算尚未完成：{evidence}。",
        ProofVerdict.WRONG_PRODUCT: "被否定，乘积不正确：{evidence}。",
        ProofVerdict.OTHER_PRECISION: "被否定，实际以另一精度运行：{evidence}。",
        ProofVerdict.IMPLAUSIBLE_RATE: "不可信，速率超过该设备的能力：{evidence}。",
        ProofVerdict.UNPROVEN: "未证实：{evidence}。",
    },
}
_EVIDENCE = {
    Language.EN: {
        "counted": "{executed} of {expected} matmuls counted",
        "uncounted": "matmuls could not be counted here",
        "error": "largest error {error} of a product nobody had seen before",
        "ran_as": "ran as {ran_as}",
        "lag": "a value of the last epoch was there {lag} after the wait",
        "checksum": "the checksum of all epochs is off by {checksum}",
        "none": "it returns nothing to look at",
    },
    Language.ZH: {
        "counted": "计数到 {expected} 次矩阵乘中的 {executed} 次",
        "uncounted": "此处无法计数矩阵乘",
        "error": "新操作数的乘积最大误差为 {error}",
        "ran_as": "以 {ran_as} 运行",
        "lag": "等待结束后 {lag} 即可取得最后一次的值",
        "checksum": "全部次数的校验和误差 {checksum}",
        "none": "没有可供检查的返回值",
    },
}
_SEPARATOR = {Language.EN: ", ", Language.ZH: "，"}


def proof_sentence(proof: Proof, language: Language = Language.EN) -> str:
    """One sentence: the verdict, and all evidence there is."""
    words = _EVIDENCE[language]
    counted = "uncounted" if proof.executed_matmuls is None else "counted"
    parts = [words[counted].format(executed=proof.executed_matmuls, expected=proof.expected_matmuls)]
    if proof.max_rel_error is None:
        parts.append(words["none"])
    else:
        parts.append(words["error"].format(error=f"{proof.max_rel_error:.1g}"))
    if proof.ran_as is not None:
        parts.append(words["ran_as"].format(ran_as=proof.ran_as))
    if proof.finish_lag_s is not None:
        parts.append(words["lag"].format(lag=format_duration(proof.finish_lag_s)))
    if proof.checksum_rel_error is not None:
        parts.append(words["checksum"].format(checksum=f"{proof.checksum_rel_error:.1g}"))
    return _VERDICTS[language][proof.verdict].format(evidence=_SEPARATOR[language].join(parts))
