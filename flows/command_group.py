"""The `cliffwatch` command as Typer sees it; only the command that is run is imported."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from flows.command import COMMANDS, DIAGNOSE, Command


class LazyGroup(TyperGroup):
    """Lists commands by their sentence and imports only the one that is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command behind the first word, loaded."""
        name, command, rest = super().resolve_command(ctx, args)
        loaded = next((load(known) for known in COMMANDS if known.name == name), command)
        return name, loaded, rest


def build_app() -> LazyGroup:
    """The `cliffwatch` command with a placeholder for each of its commands."""
    return LazyGroup(
        name="cliffwatch",
        help="Scaling curves of matmuls that prove the work was done and finished.",
        commands=[TyperCommand(name=known.name, help=known.summary) for known in (*COMMANDS, DIAGNOSE)],
        no_args_is_help=True,
        rich_markup_mode=None,
    )


def load(command: Command) -> Any:
    """The command with its options, as Typer reads them from the function's signature."""
    function = command.function_itself()
    if isinstance(function, typer.Typer):  # a group of commands
        return typer.main.get_command(function)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(command.name)(function)
    return typer.main.get_command(app)
