"""What all tests share: how hard hypothesis tries, and how rarely the collector looks for garbage."""

import gc
import os

import hypothesis

hypothesis.settings.register_profile("quick", max_examples=100, deadline=None)
hypothesis.settings.register_profile("nightly", max_examples=10_000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

gc.set_threshold(100_000, 50, 100)
"""The SDKs' modules are a million objects that stay; to look at them again and again took a fifth of the time."""
