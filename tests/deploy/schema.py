# SPDX-License-Identifier: Apache-2.0
"""As much of JSON Schema as openapi.json uses: what is wrong with a value, with its path. An unknown keyword is an error,
so that nothing is passed over in silence."""

import math
import re

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
NOTES = {"description", "default", "example", "examples"}


def _is(kind, value):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, KINDS[kind])


def _object(schema, value, document, path):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{path}.{name} is missing"
    rest = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in properties:
            yield from problems(properties[name], item, document, f"{path}.{name}")
        elif rest is False:
            yield f"{path}.{name} is not in the schema"
        elif isinstance(rest, dict):
            yield from problems(rest, item, document, f"{path}.{name}")


def _keyword(name, schema, value, document, path):
    want = schema[name]
    if name == "$ref":
        node = document
        for part in want[2:].split("/"):
            node = node[part]
        yield from problems(node, value, document, path)
    elif name == "type":
        if not any(_is(kind, value) for kind in ([want] if isinstance(want, str) else want)):
            yield f"{path} must be {want}, is {type(value).__name__}"
    elif name == "const" and value != want or name == "enum" and value not in want:
        yield f"{path} must be {want!r}, is {value!r}"
    elif name in ("anyOf", "oneOf"):
        fitting = [option for option in want if not list(problems(option, value, document, path))]
        if not fitting or name == "oneOf" and len(fitting) > 1:
            yield f"{path} fits {len(fitting)} of {len(want)} alternatives"
    elif name == "properties" and isinstance(value, dict):
        yield from _object(schema, value, document, path)
    elif name == "additionalProperties" and isinstance(value, dict) and "properties" not in schema:
        yield from _object(schema, value, document, path)
    elif name == "items" and isinstance(value, list):
        for i, item in enumerate(value):
            yield from problems(want, item, document, f"{path}[{i}]")
    elif name == "pattern" and isinstance(value, str) and not re.search(want, value):
        yield f"{path} must match {want}"
    elif name in ("minimum", "maximum") and _is("number", value):
        if value < want if name == "minimum" else value > want:
            yield f"{path} is {value}, {name} {want}"
    elif name in ("minLength", "maxLength", "minItems", "maxItems") and isinstance(value, str if "Length" in name else list):
        if len(value) < want if name.startswith("min") else len(value) > want:
            yield f"{path} has {len(value)}, {name} {want}"


KNOWN = {"$ref", "type", "const", "enum", "anyOf", "oneOf", "properties", "required", "additionalProperties", "items",
         "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"} | NOTES


def problems(schema, value, document, path="$"):
    """What is wrong, one line each."""
    for name in schema:
        if name not in KNOWN:
            yield f"the schema of {path} has {name}, which this checker does not know"
        yield from _keyword(name, schema, value, document, path)
