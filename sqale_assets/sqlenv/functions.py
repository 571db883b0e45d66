"""Stand-ins for the few SQLite functions whose single call can outlast every bound.

The clock is looked at between steps of the virtual machine, and a function call is one step: `printf` with a
precision of two billion works for 13 seconds inside it, `trim` with a hundred thousand characters even longer.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from typing import Any

#: What SQLite says when a stand-in refuses.
REFUSAL = "user-defined function raised exception"

_MOST_WIDTH = 10_000
_MOST_TRIMMED = 256
_LONG_FIELD = re.compile(r"%[^%a-zA-Z]*\d{5}")


def register(connection: sqlite3.Connection) -> None:
    """Put the stand-ins before SQLite's own functions. They give what those give, or refuse what takes too long."""
    plain = sqlite3.connect(":memory:", check_same_thread=False)

    def stand_in(name: str, too_long: Callable[[tuple[Any, ...]], bool]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if too_long(args):
                raise ValueError(name)
            return plain.execute(f"SELECT {name}({', '.join('?' * len(args))})", args).fetchone()[0]

        return call

    for name in ("printf", "format"):
        connection.create_function(name, -1, stand_in(name, _wide), deterministic=True)
    for name in ("trim", "ltrim", "rtrim"):
        connection.create_function(name, 2, stand_in(name, _many), deterministic=True)


def _wide(args: tuple[Any, ...]) -> bool:
    if not args or not isinstance(args[0], str):
        return False
    starred = "*" in args[0] and any(isinstance(each, int | float) and abs(each) > _MOST_WIDTH for each in args[1:])
    return starred or bool(_LONG_FIELD.search(args[0]))


def _many(args: tuple[Any, ...]) -> bool:
    return isinstance(args[1], str | bytes) and len(args[1]) > _MOST_TRIMMED
