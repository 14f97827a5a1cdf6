"""Flight recorder: the last seconds stay in memory, and are written when something happens.

`numalens record --flight` and `numalens snap`. Optional: nothing else imports it, and the recorder works without it.

`recorder.py` waits for triggers, writes bundles and keeps few of them. `ring.py` has the buffers that the kernel
overwrites, and cuts a range of time out of them. `memory.py` keeps the most recent samples. `triggers.py` has
thresholds of PSI and slow wake-ups, as the kernel reports them. `snap.py` asks a running flight recorder to write.
"""
