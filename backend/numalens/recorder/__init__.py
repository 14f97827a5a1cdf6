"""The recorder: the kernel's events and the samples beside them, from this machine into one bundle."""
