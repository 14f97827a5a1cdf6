"""The shapes of reports: what somebody wrote up about an analysis."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, Field, StringConstraints

from numalens.api.models import Answer, Title, Wish

MOST_TEXT: Final = 200_000
EXAMPLE: Final = (
    "Between 16.5 s and 22.6 s the cgroup was throttled.\n\n"
    "```numalens timeline\n/a/k5gkx3vhw2d6ymbt?v=2&w=16500000000~22600000000\n```\n"
)


def _no_nul(text: str) -> str:
    # Not every database keeps one, and Markdown has none.
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")


Text = Annotated[
    str,
    StringConstraints(max_length=MOST_TEXT),
    AfterValidator(_no_nul),
    Field(
        description="Markdown. A fenced block `numalens timeline` (or `finding`, `table`, `sql`) with the address of a view "
        "is drawn as that view.",
        examples=[EXAMPLE],
    ),
]
ReportTitle = Annotated[Title, AfterValidator(_no_nul), Field(examples=["Checkout stalled on 3 May"])]
RevisionNumber = Annotated[int, Field(ge=1, lt=1 << 31, examples=[3])]


class CreateReport(Wish):
    """A report to be kept."""

    title: ReportTitle
    text: Text = ""


class SaveReport(Wish):
    """Other words of a report."""

    title: ReportTitle
    text: Text
    revision: RevisionNumber = Field(description="The revision that these words began from.")


class ListedReport(Answer):
    """A report without its words."""

    id: str = Field(examples=["r4gkx3vhw2d6ymbt"])
    title: str
    revision: int = Field(description="Number of the revision that readers see.", examples=[3])
    created_at: datetime
    changed_at: datetime


class WrittenReport(ListedReport):
    """A report as readers see it."""

    text: str = Field(description="Markdown.", examples=[EXAMPLE])


class ReportList(Answer):
    """The reports of an analysis, oldest first."""

    reports: list[ListedReport]


class ListedRevision(Answer):
    """A report as it was saved once, without its words."""

    number: int
    title: str
    aside: bool = Field(description="Saved when its base was no longer the present revision; readers never saw it.")
    saved_at: datetime
    length: int = Field(description="Characters of the text.")


class Revision(ListedRevision):
    """A report as it was saved once."""

    text: str


class RevisionList(Answer):
    """What is kept of a report, newest first."""

    revisions: list[ListedRevision]
