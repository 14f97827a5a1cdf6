"""The readers and the engine, compiled: `backend/native`."""

from numalens_native.numalens_native import *  # noqa: F403
