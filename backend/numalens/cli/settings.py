"""The service's settings, for commands: a wrong one is a sentence."""

from pydantic import ValidationError
from pydantic_settings import SettingsError

from numalens.cli.usage import UsageError
from numalens.settings import Settings


def settings_of(**chosen: object) -> Settings:
    """The settings of the environment, but for those that are chosen otherwise; None is no choice. Raises UsageError."""
    given = {name: value for name, value in chosen.items() if value is not None}
    try:
        return Settings.model_validate(given) if given else Settings()
    except (ValidationError, SettingsError) as error:
        problem = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        name = "_".join(str(part) for part in problem["loc"])
        if name in given:
            raise UsageError(f"--{name} {given[name]} is not valid: {problem['msg']}") from error
        raise UsageError(f"the environment variable NUMALENS_{name.upper()} is not valid: {problem['msg']}") from error
