"""SQL over analyses: traces in trace processors, each in a process of its own."""
