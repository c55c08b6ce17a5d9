"""Who may import whom, and what an import may load: proven in fresh interpreters."""

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("flows", "tasks", "warehouse", "bench_core")


def modules_loaded_by(*names: str) -> set[str]:
    """Everything in sys.modules after importing the names in a fresh interpreter."""
    code = (
        f"import importlib, json, sys\nfor name in {names!r}: importlib.import_module(name)\n"
        "print(json.dumps(list(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return set(json.loads(shown.stdout.splitlines()[-1]))


def modules_of(package: str) -> list[str]:
    """Every module below the package except the worker process, which is started and never imported."""
    found = pkgutil.walk_packages([str(ROOT / package)], prefix=f"{package}.")
    return [item.name for item in found if not item.name.startswith("bench_core.measure.worker")]


def test_every_import_contract_holds() -> None:
    linter = Path(sys.executable).with_name("lint-imports")  # that of this environment, on the path or not
    shown = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert shown.returncode == 0, shown.stdout


def test_importing_every_module_of_every_package_loads_no_tensorflow() -> None:
    # import-linter reads import statements; this also sees importlib.import_module and what dependencies load.
    loaded = modules_loaded_by(*(module for package in PACKAGES for module in modules_of(package)))

    assert not {name for name in loaded if name.partition(".")[0] in ("tensorflow", "keras", "jax", "torch")}


def test_the_command_line_loads_nothing_heavy_before_a_command_is_chosen() -> None:
    loaded = {name.partition(".")[0] for name in modules_loaded_by("flows.cli")}

    assert not loaded & {"prefect", "duckdb", "pyarrow", "numpy", "scipy", "altair", "pydantic"}


def test_diagnosing_loads_neither_prefect_nor_the_warehouse() -> None:
    loaded = {name.partition(".")[0] for name in modules_loaded_by("bench_core.analyze.diagnose")}

    assert not loaded & {"prefect", "duckdb", "pyarrow", "scipy", "altair", "pydantic"}
