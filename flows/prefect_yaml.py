"""prefect.yaml and deploy/automations.yaml, read strictly: Prefect ignores a misspelled key in silence."""

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from zoneinfo import available_timezones

import yaml  # type: ignore[import-untyped]  # comes with Prefect; its stubs would be one more lock entry
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from bench_core.model.errors import UserError

ROOT = Path(__file__).resolve().parents[1]
PREFECT_YAML = ROOT / "prefect.yaml"
AUTOMATIONS_YAML = ROOT / "deploy" / "automations.yaml"


Model = TypeVar("Model", bound=BaseModel)


class DeploymentFileError(UserError):
    """A deployment file with keys or values that would not do what they seem to say."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _known_timezone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError(f"no such time zone: {name!r}")
    return name


class Schedule(_Strict):
    """When a deployment starts by itself."""

    cron: str = Field(pattern=r"^\S+( \S+){4}$")
    timezone: Annotated[str, AfterValidator(_known_timezone)]
    slug: str
    active: bool


class ConcurrencyLimit(_Strict):
    """How many flow runs of a deployment there may be, and what happens to one more."""

    limit: int = Field(ge=1)
    collision_strategy: Literal["ENQUEUE", "CANCEL_NEW"]


class JobVariables(_Strict):
    """What a flow run's process finds in its environment."""

    env: dict[str, str]


class WorkPool(_Strict):
    """Where a deployment's flow runs wait and who takes them."""

    name: str
    work_queue_name: str
    job_variables: JobVariables


class DeploymentEntry(_Strict):
    """One deployment."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    description: str = Field(min_length=20)
    tags: list[str] = Field(min_length=1)
    entrypoint: str = Field(pattern=r"^flows/[a-z_]+\.py:[a-z_]+$")
    parameters: dict[str, Any] = {}
    schedules: list[Schedule] = []
    concurrency_limit: ConcurrencyLimit | None = None
    work_pool: WorkPool


class PrefectYaml(_Strict):
    """The whole of prefect.yaml."""

    name: str
    prefect_version: str = Field(alias="prefect-version")
    definitions: dict[str, Any] = Field(description="Anchors only: checked where they are used.")
    deployments: list[DeploymentEntry] = Field(min_length=1)


class Trigger(_Strict):
    """Which events, or which silence after an event, start an automation."""

    type: Literal["event"]
    posture: Literal["Reactive", "Proactive"]
    match: dict[str, str]
    after: list[str] = []
    expect: list[str] = Field(min_length=1)
    for_each: list[str] = []
    threshold: int = Field(ge=1)
    within: int = Field(0, ge=0)


class ChangeState(_Strict):
    """Put the flow run that the event is about into another state."""

    type: Literal["change-flow-run-state"]
    state: Literal["CRASHED", "FAILED", "CANCELLED"]
    message: str


class CallWebhook(_Strict):
    """Send a payload to the webhook of the automation."""

    type: Literal["call-webhook"]
    payload: str


class AutomationEntry(_Strict):
    """One automation.

    Attributes:
        webhook: name of the webhook block its `call-webhook` actions use.
    """

    name: str
    description: str
    webhook: str | None = None
    trigger: Trigger
    actions: list[Annotated[ChangeState | CallWebhook, Field(discriminator="type")]] = Field(min_length=1)


class AutomationsYaml(_Strict):
    """The whole of deploy/automations.yaml."""

    automations: list[AutomationEntry]


def read_prefect_yaml(path: Path = PREFECT_YAML) -> PrefectYaml:
    """The deployments.

    Raises:
        DeploymentFileError: unreadable, or an unknown key or wrong value; names every one.
    """
    return _read(path, PrefectYaml)


def read_automations(path: Path = AUTOMATIONS_YAML) -> tuple[AutomationEntry, ...]:
    """The automations.

    Raises:
        DeploymentFileError: unreadable, or an unknown key or wrong value; names every one.
    """
    return tuple(_read(path, AutomationsYaml).automations)


def _read(path: Path, model: type[Model]) -> Model:
    try:
        return model.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError) as error:
        raise DeploymentFileError(f"{path} cannot be read: {error}") from None
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        raise DeploymentFileError("\n".join((f"{path.name} is not as it must be:", *problems))) from None
