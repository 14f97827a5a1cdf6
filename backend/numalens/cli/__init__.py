"""The `numalens` command.

`main.py` lists the commands and turns errors into a sentence and the exit status. The command NAME is the module
`NAME.py` with a Typer `app`, imported only when that command runs or is completed: `numalens --help` loads none of
them. To add one, write its module and its line in `main.COMMANDS`. `app.py` has the class of every command, with the
options of all commands and the exit statuses in their help; `verbosity.py` has the effect of `--quiet` and
`--verbose`. `usage.py` and `options.py` have what several commands share. `inputs.py` opens the named files and finds
the samples and topologies of a recording. `settings.py` reads the environment and opens a database that a server may
be using. `summary.py` summarizes a recording, `output.py` writes and shows progress, `tables.py` renders tables.

Conventions, which `test_cli_conventions.py` checks: a report goes to standard output as text and with `--json FILE`
as JSON (`-`: JSON alone); rows and events have `--format` and `-o FILE`; a window is `--from` and `--to`. Reports and
events go to stdout, progress and errors to stderr. `plain.py` keeps what names from recordings would do to a terminal
away from it.
"""
