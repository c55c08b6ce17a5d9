"""The names of things as the code has them: fields of its types, keys that analyses write down, keys of JSON."""

import ast
import dataclasses
import importlib
import pkgutil
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

# Their keys are data: names of numbers, of curves, of variables.
_FREE_KEYS = ("evidence", "values", "verdicts")


def fields_of(of: type) -> dict[str, Any]:
    """Type by name of the fields of a dataclass or a spec; none for other types."""
    if dataclasses.is_dataclass(of):
        hints = typing.get_type_hints(of)
        return {field.name: hints[field.name] for field in dataclasses.fields(of)}
    return {name: field.annotation for name, field in getattr(of, "model_fields", {}).items()}


def fields_in(package: types.ModuleType) -> dict[str, Any]:
    """Type by name of every field of every type a package defines."""
    found: dict[str, Any] = {}
    for module in _modules_of(package):
        for value in vars(module).values():
            if isinstance(value, type) and value.__module__ == module.__name__:
                found |= fields_of(value)
    return found


def written_keys(package: types.ModuleType) -> set[str]:
    """Every text that is a key of a dictionary in a package's source."""
    trees = [ast.parse(Path(str(module.__file__)).read_text()) for module in _modules_of(package)]
    keys = [key for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys]
    return {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def json_keys(value: Any, owner: str = "") -> Iterator[tuple[str, str, Any]]:
    """Every key with that of the object it is in and its value, however deep."""
    if isinstance(value, Mapping) and owner not in _FREE_KEYS:
        for key, inner in value.items():
            yield key, owner, inner
            yield from json_keys(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from json_keys(inner, owner)


def leaves_of(hint: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Fields of a type and of the objects in it, by path; a value with a text of its own, or a mapping, is one."""
    if dataclasses.is_dataclass(hint):
        fields = fields_of(typing.cast(type, hint))
        if path and (hasattr(hint, "parse") or any(typing.get_origin(inner) is Mapping for inner in fields.values())):
            yield path, str
        else:
            for name, inner in fields.items():
                yield from leaves_of(inner, (*path, name))
        return
    objects = [part for part in typing.get_args(hint) if typing.get_args(part) or dataclasses.is_dataclass(part)]
    for part in objects:
        yield from leaves_of(part, path)
    if path and not objects:
        yield path, hint


def _modules_of(package: types.ModuleType) -> list[types.ModuleType]:
    return [
        importlib.import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)
    ]
