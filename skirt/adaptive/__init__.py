"""Adaptive testing: ask each model the items that tell most about it."""

from skirt.adaptive._bank_files import load_bank, save_bank
from skirt.adaptive._fluid_benchmark import FluidBenchmark
from skirt.adaptive._session import AdaptiveSession

__all__ = ["AdaptiveSession", "FluidBenchmark", "load_bank", "save_bank"]
