"""Perfetto's trace processor, run inside this process: the reader of Perfetto traces."""
