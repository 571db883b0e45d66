"""The sandbox: Python that a model wrote runs here and nowhere else (DESIGN, section 5).

`runner` drives pydantic-monty; `prelude` is the Python offered inside (a small `faker`, `uuid`, `string`,
...); `imports` lets ordinary import statements find it; `pools` are the names and places it draws from.
"""

from sqale_assets.stages.sandbox.runner import GeneratorError, Sandbox

__all__ = ["GeneratorError", "Sandbox"]
