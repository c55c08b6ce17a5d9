"""`cliffwatch doctor`: what would work here, what would not, and why."""

import json
from typing import Annotated

import typer

from flows.doctor import Finding, Level, examine, has_problem

MARKS = {Level.FINE: " ", Level.NOTE: "-", Level.PROBLEM: "!"}


def doctor(
    quick: Annotated[bool, typer.Option("--quick", help="Load no TensorFlow and find no ceilings.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Say what this machine can measure, what it cannot, and why; exit status 1 if something would not work."""
    findings = []
    for finding in examine(measures=not quick):
        findings.append(finding)
        if not as_json:
            print(_line(finding), flush=True)
    if as_json:
        print(json.dumps({"findings": [finding.to_json() for finding in findings]}))
    if has_problem(findings):
        raise typer.Exit(1)


def _line(finding: Finding) -> str:
    return f"{MARKS[finding.level]} {finding.topic:<10} {finding.message}"
