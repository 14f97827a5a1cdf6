"""Tools for assistants, by the Model Context Protocol.

`tools.py` declares them, `answers.py` writes their answers. `numalens mcp` and the service offer the same tools. The
package is optional: only `cli/mcp.py`, `cli/shelf.py` and `api/mcp.py` import it.
"""
