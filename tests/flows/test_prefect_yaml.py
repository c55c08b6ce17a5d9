import importlib
import re
from pathlib import Path

import pytest
from prefect import Flow
from prefect.events.schemas.automations import AutomationCore

from flows.prefect_yaml import (
    AUTOMATIONS_YAML,
    PREFECT_YAML,
    DeploymentFileError,
    read_automations,
    read_prefect_yaml,
)
from flows.setup import POOL


@pytest.mark.parametrize("entry", read_prefect_yaml().deployments, ids=lambda entry: entry.name)
def test_a_deployment_names_a_flow_that_takes_its_parameters(entry: object) -> None:
    path, _, name = entry.entrypoint.partition(":")

    flow = getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)

    assert isinstance(flow, Flow)
    flow.validate_parameters(entry.parameters)
    assert entry.work_pool.name == POOL


def test_the_weekly_run_is_on_monday_at_six_and_waits_rather_than_being_lost() -> None:
    (weekly,) = [entry for entry in read_prefect_yaml().deployments if entry.name == "weekly"]

    assert weekly.schedules[0].cron == "0 6 * * 1"
    assert weekly.concurrency_limit.collision_strategy == "ENQUEUE"


@pytest.mark.parametrize(
    ("right", "wrong", "named"),
    [
        # Prefect deploys with this one, silently without a limit.
        ("concurrency_limit:", "concurency_limit:", "concurency_limit"),
        ("collision_strategy: ENQUEUE", "collision_strategy: QUEUE", "collision_strategy"),
        ("timezone: Europe/Berlin", "timezone: Europe/Berln", "Europe/Berln"),
        ('cron: "0 6 * * 1"', 'cron: "0 6 * *"', "cron"),
        ("entrypoint: flows/adhoc.py:adhoc", "entrypoint: ../elsewhere.py:adhoc", "entrypoint"),
    ],
)
def test_what_would_not_do_what_it_says_is_named(right: str, wrong: str, named: str, tmp_path: Path) -> None:
    text = PREFECT_YAML.read_text()
    assert right in text
    file = tmp_path / "prefect.yaml"
    file.write_text(text.replace(right, wrong))

    with pytest.raises(DeploymentFileError, match=re.escape(named)):
        read_prefect_yaml(file)


def test_an_unknown_key_of_an_automation_is_named(tmp_path: Path) -> None:
    file = tmp_path / "automations.yaml"
    file.write_text(AUTOMATIONS_YAML.read_text().replace("within: 80", "withn: 80"))

    with pytest.raises(DeploymentFileError, match="withn"):
        read_automations(file)


@pytest.mark.parametrize("entry", read_automations(), ids=lambda entry: entry.name)
def test_prefect_understands_every_automation(entry: object) -> None:
    block = {"block_document_id": "00000000-0000-0000-0000-000000000000"} if entry.webhook else {}

    automation = AutomationCore.model_validate(
        {
            "name": entry.name,
            "trigger": entry.trigger.model_dump(),
            "actions": [action.model_dump() | block for action in entry.actions],
        }
    )

    assert automation.trigger.expect == set(entry.trigger.expect)
