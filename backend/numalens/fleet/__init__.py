"""Questions over all analyses: each leaves a small summary, and DuckDB answers over the files."""
