"""Questions over all analyses: each leaves a small summary, and DuckDB answers over the files (ADR 0026, 0028).

`summary.py` and `recording.py` make a summary's rows from the sections of a bundle, `rows.py` declares and writes
them, and `make.py` is the process around them. `database.py` opens summaries in a DuckDB that then reaches nothing
else, and `views.sql` joins them with the stored analyses. `merge.py` merges many small files into few.

`questions.py`, `over_time.py` (metrics by group and period) and `upgrade.py` are the ready questions; `select.py`
answers one SELECT of a user. `executor.py` answers both for the server: ready questions from a `Fleet`, which keeps
its last database open, and a SELECT in a process (`query_process.py`). No replay, and no number of one recording that
its sections do not have.
"""
