"""The shapes of shared links."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import Field, StringConstraints

from numalens.api.models import Answer, May, OneLine, Wish

DAY_S: Final = 86_400
USUAL_EXPIRY_S: Final = 30 * DAY_S
LONGEST_EXPIRY_S: Final = 10 * 366 * DAY_S

ExpiryS = Annotated[int, Field(ge=1, le=LONGEST_EXPIRY_S, description="Seconds from now; null is never.")]
ShareName = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120), OneLine]
View = Annotated[str, StringConstraints(max_length=8192)]


class CreateShare(Wish):
    """A link to be made."""

    view: View = Field(description="The page's query string; empty: the whole analysis, as it opens by itself.")
    name: ShareName = Field("", description="Whom or what it is for; only owners see it.")
    may: frozenset[May] = Field(frozenset(), description="What it allows besides looking.")
    expires_in_s: ExpiryS | None = USUAL_EXPIRY_S


class ChangeShare(Wish):
    """What is to be different about a link; what is left out stays."""

    name: ShareName | None = None
    expires_in_s: ExpiryS | None = None


class Share(Answer):
    """A shared link, as its owner sees it in the list. The token is shown once, at creation."""

    id: str
    name: str
    view: str
    may: list[May]
    created_at: datetime
    expires_at: datetime | None
    revoked: bool
    opened: int = Field(description="How many times the link was opened.")
    last_opened_at: datetime | None


class ShareList(Answer):
    """The links of an analysis, newest first."""

    shares: list[Share]


class SharedAnalysis(Share):
    """A link with the analysis that it opens."""

    analysis_id: str
    analysis_title: str


class SharedList(Answer):
    """The links of all analyses, newest first."""

    shares: list[SharedAnalysis]


class CreatedShare(Answer):
    """A new shared link with its secret."""

    id: str
    token: str
    url: str = Field(description="Path of the link, to be put after the page's own origin.")
    created_at: datetime
    expires_at: datetime | None


class OpenShare(Wish):
    """The secret of a shared link."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]


class OpenedShare(Answer):
    """What a shared link opens."""

    analysis_id: str
    view: str
    may: list[May]
    expires_at: datetime | None
