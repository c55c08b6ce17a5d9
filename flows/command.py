"""The commands by name: where each is, and what help says of it before it is imported."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """Where a command's function is, and what help says of it before it is imported."""

    name: str
    function: str
    summary: str

    def function_itself(self) -> Callable[..., None]:
        """The function, imported now."""
        module_name, _, function_name = self.function.partition(":")
        function: Callable[..., None] = getattr(importlib.import_module(module_name), function_name)
        return function


COMMANDS = (
    Command("run", "flows.commands.run:run", "Measure a sweep on this machine and explain its scaling curves."),
    Command("hypotheses", "flows.commands.hypotheses:hypotheses", "Hold the usual explanations against a stored run."),
    Command("sql", "flows.commands.sql:sql", "Ask the warehouse in SQL, read-only."),
    Command("schema", "flows.commands.schema:schema", "List the views of the warehouse and what each column means."),
    Command("warehouse", "flows.commands.warehouse:app", "Verify, compact, export, import or migrate the warehouse."),
    Command("serve", "flows.commands.serve:serve", "Run Prefect with every deployment on this machine, until Ctrl-C."),
    Command("setup", "flows.commands.setup:setup", "Make what the deployments need on a Prefect server."),
    Command("doctor", "flows.commands.doctor:doctor", "Say what this machine can measure, what it cannot, and why."),
)

# Parses its own options: Typer would load pydantic to hand them over, and diagnosing starts fast.
DIAGNOSE = Command(
    "diagnose", "flows.commands.diagnose:main", "Say what a table of times means, what proves it, what to do."
)
