"""With the extra `fast` sqlglot is compiled, and its classes cannot have heirs in plain Python."""

import importlib
import inspect
import pkgutil

import pytest

import sqale_assets.relational
import sqale_assets.sqlenv


@pytest.mark.parametrize("package", [sqale_assets.relational, sqale_assets.sqlenv], ids=lambda each: each.__name__)
def test_no_class_inherits_from_sqlglots(package):
    names = [each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    classes = {cls for name in names for _, cls in inspect.getmembers(importlib.import_module(name), inspect.isclass)}
    ours = [cls for cls in classes if cls.__module__.startswith("sqale_assets")]
    assert ours
    assert not [cls for cls in ours if any(base.__module__.startswith("sqlglot") for base in cls.__mro__)]
