"""The command ``skirt``."""

from skirt._command._main import main

__all__ = ["main"]
