# Copyright The Flux Operator Authors.
# SPDX-License-Identifier: Apache-2.0
"""Compiles a model's methods, when one of them is first called.

Looping over the fields would take most of the time of building, reading and writing a model.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, Dict, List, Tuple

from ._check import ValidationError, nearest
from ._parts import parse_each, rest
from ._wire import common, plain

METHODS = ("__init__", "_blank", "_build", "_json", "_parse")


def method(cls: Any, name: str) -> Any:
    """Gives a method of the generated class that a class is or derives from.

    Args:
        cls (type): a model's class.
        name (str): ``__init__``; ``_blank``, which gives a model without values; ``_build`` and
            ``_json``, which write the manifest of one that was not read; ``_parse``, which reads
            a manifest.

    Raises:
        TypeError: there is no such class.
    """
    own = next((c for c in cls.__mro__ if "__signature__" in vars(c)), None)
    if own is None:
        raise TypeError(f"{cls.__name__} is not a model of the API")
    if name not in vars(own):
        names = _run(own)
        for made in METHODS:
            call = names[made]
            call.__qualname__ = f"{own.__qualname__}.{made}"
            setattr(own, made, classmethod(call) if made in ("_blank", "_parse") else call)
    return vars(own)[name]


def _run(own: Any) -> Dict[str, Any]:
    """Makes the methods of a class, and lets ``linecache`` find their source."""
    import linecache  # which kubernetes has loaded; the models alone need not

    from . import _source

    source, names = _source.source(own, _helpers())
    where = f"methods of {own.__module__}.{own.__qualname__}"
    # linecache looks for the loader in the spec from Python 3.15 on. This is its class.
    loader: Any = _Loader(own)
    names.update(__name__=where, __loader__=loader, __spec__=type(__spec__)(where, loader))
    exec(compile(source, where, "exec"), names)
    linecache.cache.pop(where, None)  # of a class that this one replaces
    linecache.lazycache(where, names)
    return names


class _Loader:
    """Gives the source of a class's methods to tracebacks, pdb and ``inspect``, as the loader
    of a module does (PEP 302). It is made again for that, so it takes no memory before."""

    def __init__(self, own: Any) -> None:
        self._own = own

    def get_source(self, _: str) -> str:
        from . import _source

        return _source.source(self._own, {})[0]


@lru_cache(maxsize=None)
def _helpers() -> Dict[str, Any]:
    """Gives what the methods of every class use."""
    quoted, json = json_writers()
    return {
        "Nothing": _Nothing,
        "New": object.__new__,
        "Again": _again,
        "Plain": plain,
        "Common": common,
        "Quoted": quoted,
        "Json": json,
        "AddAll": _add_all,
        "ParseAll": _parse_all,
        "Invalid": ValidationError,
        "ParseEach": parse_each,
        "Rest": rest,
    }


class _Nothing:
    """Stands for what a constructor was not given."""


def _again(given: Dict[str, Any]) -> None:
    """Calls a constructor again, with attributes in place of keywords that are JSON keys.

    So ``Model(**model)`` works: a model is a mapping, and the keys of it are those of JSON.
    ``local_vars_configuration``, which constructors of the legacy generator had, is ignored.

    Args:
        given (Dict[str, Any]): the local variables of the constructor.

    Raises:
        TypeError: a value has no keyword, an unknown one, or one that was given before.
    """
    model, without, others = (given.pop(name) for name in ("self", "Given", "Others"))
    cls = type(model)
    if without is not _Nothing:
        raise TypeError(f"{cls.__name__}() takes keywords only: see from_dict for a manifest")
    others.pop("local_vars_configuration", None)
    for name, value in others.items():
        attr = attribute(cls, name)
        if given[attr] is not cls._fields[attr].default:
            raise TypeError(f"{cls.__name__}() got {attr!r} and {name!r}, which are the same")
        given[attr] = value
    method(cls, "__init__")(model, **given)


def attribute(cls: Any, name: str) -> str:
    """Gives the attribute that a keyword of a constructor means, by its own name or its JSON key.

    Raises:
        TypeError: there is none.
    """
    attr = name if name in cls._fields else cls._keys.get(name)
    if attr is None:
        hint = nearest(name, cls._fields)
        raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}{hint}")
    return str(attr)


@lru_cache(maxsize=None)
def json_writers() -> Tuple[Callable[[str], str], Callable[[Any], str]]:
    """Gives the functions that write a str and any value as JSON."""
    from json.encoder import JSONEncoder
    from json.encoder import encode_basestring_ascii as quoted

    encode = JSONEncoder().encode

    def json(value: Any) -> str:
        cls = value.__class__
        if cls is str:
            return quoted(value)
        if cls is int:
            return str(value)
        if cls is dict:
            parts = [
                f"{quoted(k)}: {quoted(v) if v.__class__ is str else json(v)}"
                for k, v in value.items()
            ]
            return "{" + ", ".join(parts) + "}"
        return encode(plain(value))

    return quoted, json


def _add_all(models: List[Any], out: List[str]) -> None:
    """Adds the JSON of models to a list of its parts."""
    _, json = json_writers()
    start = "["
    for model in models:
        out.append(start)
        model._json(out) if model._read is None else out.append(json(model))
        start = ", "
    out.append("]" if models else "[]")


def _parse_all(parse: Callable[..., Any], read: Callable[..., Any], items: List[Any]) -> List[Any]:
    """Gives the models of a list: parse makes one of a dict, read one of anything else."""
    out: List[Any] = []
    for item in items:
        try:
            out.append(parse(item, False) if item.__class__ is dict else read(item))
        except ValidationError as error:
            raise error.within(f"[{len(out)}]") from None
    return out
