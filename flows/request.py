"""What was typed, into one checked sweep: the only place that reads options and the environment."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench_core.model.errors import SpecError
from bench_core.model.run import Run
from bench_core.model.spec import SweepSpec, build_spec, load_spec, preset

DEFAULT_PRESET = "quick"
DEFAULT_WAREHOUSE = Path("warehouse_data")
WAREHOUSE_VARIABLE = "CLIFFWATCH_WAREHOUSE"


def read_request(
    spec_file: Path | None, preset_name: str | None, options: Mapping[str, str | None], warehouse: Path
) -> SweepSpec:
    """The sweep of a file or preset with the given options laid over it; nothing is written.

    Args:
        spec_file: a TOML sweep.
        preset_name: a sweep that ships with cliffwatch; `quick` where neither is given.
        options: text as typed by field of SweepSpec, None where an option was not given; lists are comma-separated.
        warehouse: where the records will go.

    Raises:
        SpecError: names every problem of the file, the options and the warehouse at once.
    """
    problems: dict[str, str] = {}
    if spec_file and preset_name:
        problems["preset"] = f"need a file or a preset, got both {spec_file} and {preset_name!r}"
    base: dict[str, Any] = {}
    try:
        base = _base(spec_file, preset_name).model_dump()
    except SpecError as error:
        problems |= error.problems
    try:
        spec = build_spec(base | {name: _value(name, text) for name, text in options.items() if text is not None})
    except SpecError as error:
        problems |= error.problems
    problems |= _warehouse_problem(warehouse)
    if problems:
        raise SpecError(problems)
    return spec


def read_resumed(run: Run, options: Mapping[str, object]) -> SweepSpec:
    """The settled spec of a run that will be resumed.

    Args:
        run: the run to go on with.
        options: what else was asked for, by option; all must be None, since a run is one sweep.

    Raises:
        SpecError: names every option that a resumed run cannot take.
    """
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise SpecError({name: f"cannot be changed while resuming {run.run_id}" for name in given})
    return SweepSpec.model_validate_json(run.spec_json)


def warehouse_folder(option: Path | None) -> Path:
    """--warehouse, else $CLIFFWATCH_WAREHOUSE, else ./warehouse_data."""
    return option or Path(os.environ.get(WAREHOUSE_VARIABLE) or DEFAULT_WAREHOUSE)


def _base(spec_file: Path | None, preset_name: str | None) -> SweepSpec:
    if spec_file is not None:
        return load_spec(spec_file)
    return preset(preset_name or DEFAULT_PRESET)


def _warehouse_problem(folder: Path) -> dict[str, str]:
    """Whether the folder, or the one it would be made in, refuses writing."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if existing.is_dir() and os.access(existing, os.W_OK):
        return {}
    why = "cannot be written" if existing.is_dir() else "is not a folder"
    return {"warehouse": f"need a folder that can be written, got {folder}: {existing} {why}"}


def _value(name: str, text: str) -> Any:
    """Text as the field's own type where it can be, else as typed, so that the field says what it needs."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    match name:
        case "epochs":
            return [int(part) if re.fullmatch(r"-?[0-9]{1,30}", part) else part for part in parts]
        case "precisions" | "mitigations":
            return parts
        case _:
            return text
