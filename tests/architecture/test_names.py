"""One concept has one name: columns, JSON keys and fields are compared with each other, as the code has them."""

import re
import typing
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from example_run import RUN, eliminated, fair, saturated
from names import fields_in, fields_of, json_keys, leaves_of, written_keys

import bench_core.analyze
import bench_core.model
from bench_core.model.hypothesis import HypothesisTest, HypothesisVerdict, MitigationEffect
from bench_core.model.proof import Proof
from bench_core.report.language import Language
from flows.commands.hypotheses import _as_json as hypotheses_json
from flows.events import completed_payload
from flows.local_run import LocalRun
from flows.show import as_object
from flows.sweep import FinishedRun
from tasks.diagnose import DiagnosedCurve
from tasks.judge import Judgement
from warehouse.columns import COLUMNS
from warehouse.curves import FailedCase
from warehouse.findings import Finding
from warehouse.layout import Layout
from warehouse.schema import TABLES
from warehouse.store import Warehouse
from warehouse.writer import RunWriter

STORED = {field.name: field.type for table in TABLES for field in table.schema}
MODEL = fields_in(bench_core.model)

# Words others have for what is ours: no part of any name.
SYNONYMS = {
    "epoch": ("iteration", "iterations", "iters", "repetition", "repetitions"),
    "sample": ("trial", "repeat", "repeats"),
    "case": ("config", "job", "experiment"),
    "sweep": ("benchmark", "batch"),
    "precision": ("dtype",),
    "mitigation": ("remedy", "fix"),
    "enqueue": ("submit", "dispatch"),
    "drain": ("sync", "wait"),
    "wall_time": ("elapsed", "walltime", "runtime", "duration"),
    "flop_per_s": ("flops", "throughput"),
    "peak_fraction": ("efficiency", "mfu"),
    "intercept": ("overhead",),
    "knee": ("breakpoint", "changepoint"),
    "queue_capacity": ("depth",),
}
OURS = {word: ours for ours, words in SYNONYMS.items() for word in words}

# Values are in base units: none of these is part of a name.
OTHER_UNITS = {
    "ms",
    "us",
    "minutes",
    "hours",
    "khz",
    "ghz",
    "kb",
    "mb",
    "gb",
    "mib",
    "gib",
    "gflop",
    "tflop",
    "percent",
}
# Every unit is the end of a name: the first that fits.
ENDINGS = {
    "1": r"(ratio|fraction|rel_error)(_interval)?",
    "epochs": r"epoch_count|queue_capacity(_interval)?|knee_interval",
    "count": r"count|matmuls",
    "FLOP/s": r"flop_per_s",
    "FLOP": r"flop_per_epoch",
    "bytes": r"bytes(_per_epoch)?",
    "s": r"s(_per_epoch)?",
    "UTC": r"at",
    "MHz": r"mhz",
    "W": r"w",
    "degrees Celsius": r"celsius",
}
# The field's own words for a number without one; seconds are one.
WORDS_OF_NUMBERS = {"attempt", "confidence", "speedup", "load_average", "factor", "seconds"}

# How long a case is sampled and where a file lies on one machine: the run's spec_json keeps it.
ONLY_IN_THE_SPEC = {"sampling", "timeout_s", "mnist_path"}
# What a person is told, and nothing keeps.
ONLY_SAID = {"message", "assumed", "claim", "warehouse", "failed_case_count"}


@pytest.fixture(scope="module")
def printed() -> list[tuple[str, str, Any]]:
    """Keys of what `run`, `diagnose` and `hypotheses` print with --json, and of what an event carries."""
    tests = (HypothesisTest("H0", HypothesisVerdict.SUPPORTED, "the knee moves", {"knee_ratio": 2.0}),)
    effects = (MitigationEffect("fp32", "graph_loop_kept", "512x784x512", "faster", "5 % faster", 0.95),)
    failed = (FailedCase("0123", "fp32", "none", "512x784x512", 100, "refused", "too large"),)
    curves = tuple(DiagnosedCurve(curve, diagnosis) for curve, _, diagnosis in (saturated(), eliminated(), fair()))
    finished = FinishedRun(RUN, curves, Judgement(tests, effects), failed, 3, 60.0, 50.0)
    run = as_object(LocalRun(finished, 1.0), Warehouse(Layout(Path("/warehouse"))), Language.EN)
    return list(json_keys([run, hypotheses_json(RUN.run_id, tests), completed_payload(finished)]))


@pytest.fixture(scope="module")
def names(printed: list[tuple[str, str, Any]]) -> set[str]:
    """Every name somebody can meet."""
    return {*STORED, *COLUMNS, *MODEL, *written_keys(bench_core.analyze), *(key for key, _, _ in printed)}


def test_no_name_has_a_word_of_others_for_what_is_ours(names: set[str]) -> None:
    assert {name: OURS[word] for name in names for word in name.split("_") if word in OURS} == {}


def test_values_are_in_base_units(names: set[str]) -> None:
    assert {name for name in names if OTHER_UNITS & set(name.split("_"))} == set()


def unit_of(name: str) -> str:
    return next((unit for unit, ending in ENDINGS.items() if re.search(f"(^|_)({ending})$", name)), "")


def test_a_column_has_the_unit_its_name_ends_with() -> None:
    assert {name: column.unit for name, column in COLUMNS.items() if unit_of(name) != column.unit}.keys() <= (
        WORDS_OF_NUMBERS
    )


def test_every_fractional_number_of_the_model_ends_with_a_unit() -> None:
    fractional = {name for name, hint in MODEL.items() if float in (hint, *typing.get_args(hint))}

    assert {name for name in fractional if not unit_of(name)} <= WORDS_OF_NUMBERS


def test_a_column_is_the_same_in_every_table() -> None:
    types_by_name = defaultdict(set)
    for table in TABLES:
        for field in table.schema:
            types_by_name[field.name].add(field.type)

    # A case has one precision, a run all of them.
    assert {name for name, found in types_by_name.items() if len(found) > 1} == {"ceiling_flop_per_s"}


def test_what_is_measured_and_found_is_stored_under_the_name_it_has_in_the_program() -> None:
    result, run = typing.get_type_hints(RunWriter.add)["result"], typing.get_type_hints(Warehouse.begin)["run"]
    leaves = {path: hint for hint in (result, run, Finding) for path, hint in leaves_of(hint)}
    kept = {path: hint for path, hint in leaves.items() if not ONLY_IN_THE_SPEC & set(path)}

    assert len(kept) > len(fields_of(Proof)) > 5
    assert {path for path in kept if column_of(path) is None} == set()
    assert {path for path, hint in kept.items() if not is_stored_type(hint, STORED[str(column_of(path))])} == set()


def column_of(path: tuple[str, ...]) -> str | None:
    """The field's name, or that after the name of the object it is in; stored times are raw clock readings."""
    owned = "_".join((*(owner.removesuffix("s") for owner in path[-2:-1]), path[-1]))
    return next((name for name in (owned, path[-1], f"{path[-1]}_ns") if name in STORED), None)


def is_stored_type(hint: Any, stored: pa.DataType) -> bool:
    """Whether a column holds what a field does; what has parts of its own is not compared."""
    (plain, *others) = [part for part in typing.get_args(hint) or (hint,) if part is not type(None)]
    if others or not isinstance(plain, type):
        return True
    ours: Iterable[tuple[Any, Any]] = (
        ((str, Enum), pa.types.is_string),
        (bool, pa.types.is_boolean),
        ((int, datetime), pa.types.is_integer),
        (float, pa.types.is_floating),
    )
    return next((bool(is_type(stored)) for kind, is_type in ours if issubclass(plain, kind)), True)


def test_every_json_key_is_a_column_or_a_field_or_holds_such(printed: list[tuple[str, str, Any]]) -> None:
    of_the_run = {field.name for of in (FinishedRun, LocalRun) for field in fields(of)}
    known = {*STORED, *COLUMNS, *MODEL, *of_the_run, *ONLY_SAID}
    unknown = {
        key
        for key, owner, value in printed
        if not isinstance(value, list | dict) and not {key, f"{owner.removesuffix('s')}_{key}"} & known
    }

    assert len(printed) > 100
    assert unknown == set()
