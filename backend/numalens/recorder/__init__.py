"""The recorder: the kernel's events and samples, from this machine into one bundle."""
