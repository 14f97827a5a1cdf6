"""`python -m numalens.api.openapi > openapi.json`: the description that the page's types are generated from."""

import json
import sys
from typing import Any

from numalens.api import models
from numalens.api.app import bare_app


def document() -> dict[str, Any]:
    """The API's OpenAPI document, with the shapes that only server-sent events carry."""
    found: dict[str, Any] = bare_app().openapi()
    template = "#/components/schemas/{model}"
    for extra in (models.ProgressEvent,):
        found["components"]["schemas"][extra.__name__] = extra.model_json_schema(ref_template=template)
    return found


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=2, sort_keys=True)
    sys.stdout.write("\n")
