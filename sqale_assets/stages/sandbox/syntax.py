"""Parsing Python source, for modules that look at generated code before it runs."""

from __future__ import annotations

import ast
from threading import Lock

_ONE_AT_A_TIME = Lock()


def parse(source: str) -> ast.Module | None:
    """The syntax tree; None where the source does not parse (the sandbox reports that, with the model's own lines).

    CPython 3.11 counts the recursion depth of `ast.parse` in a global: parses that overlap in two threads, or in a
    garbage collection, fail with a SystemError (python/cpython#106905). Hence the lock, and a second try.
    """
    for last in (False, True):
        try:
            with _ONE_AT_A_TIME:
                return ast.parse(source)
        except SystemError:
            if last:
                return None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return None
