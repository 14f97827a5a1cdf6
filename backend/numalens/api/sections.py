"""What the replay of a window tells, section by section. All work is the engine's; here are only checks and shapes."""

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from fastapi import APIRouter, Depends, Query, Request

from numalens.api import section_models as models
from numalens.api.access import ReaderOf
from numalens.api.analyses import ready_bundle
from numalens.api.bundles import OpenBundle
from numalens.api.services import services_of
from numalens.api.timeline import OptionalNs
from numalens.errors import SentenceError
from numalens.report import MAX_HZ, MAX_STEPS, Rules, ask, fits, window_of

MAX_LIMIT: Final = 500
MAX_POINTS: Final = 2000
Shape = TypeVar("Shape", bound=models.Section)
Item = TypeVar("Item")

router = APIRouter(prefix="/analyses/{analysis_id}/analysis", tags=["replay"])

RulesOption = Annotated[
    Rules | None, Query(description="Rules of this kernel version in place of those of the traced kernel.")
]
HzOption = Annotated[
    int | None, Query(ge=1, le=MAX_HZ, description="Jiffies per second in place of what the recording tells.")
]
StepOption = Annotated[
    int | None, Query(ge=1, description=f"Length of a step in ns; a window may have {MAX_STEPS:,} of them.")
]
LimitOption = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Most entries of each list of tasks or waits.")]


@dataclass(frozen=True)
class Asked:
    """A ready analysis and the window that is asked about."""

    bundle: OpenBundle
    window: tuple[int, int]

    def tell(self, section: str, **options: str | int | None) -> dict[str, Any]:
        """What the engine tells of a section."""
        return ask(self.bundle.engine, section, self.window, options)

    def check_steps(self, step_ns: int | None) -> None:
        """Raises 422 for a step that would cut the window into too many parts."""
        if not fits(self.window, step_ns):
            raise SentenceError(
                422,
                f"The query parameter step_ns is too small: the window has more than {MAX_STEPS} steps of that length.",
            )


def asked(request: Request, who: ReaderOf, from_ns: OptionalNs = None, to_ns: OptionalNs = None) -> Asked:
    """The window of a query; its edges are those of the common window unless given. Raises 422 when it is empty."""
    bundle = ready_bundle(services_of(request), who.analysis_id)
    window = window_of(bundle.manifest, from_ns, to_ns)
    if (from_ns is not None or to_ns is not None) and window[0] >= window[1]:
        raise SentenceError(422, f"The window is empty: from_ns {window[0]} is not before to_ns {window[1]}.")
    return Asked(bundle, window)


AskedOf = Annotated[Asked, Depends(asked)]


@router.get("/psi")
def get_pressure(
    about: AskedOf, psi_rules: RulesOption = None, hz: HzOption = None
) -> models.PressureSection | models.MissingPart:
    """Pressure: replayed totals and averages, the kernel's own samples beside them, and the residual.

    The window is the one that all CPUs' buffers have in common unless the query says otherwise. A series has at most 2,001
    points. 409 until the analysis is ready.
    """
    told = about.tell("psi", rules=psi_rules, hz=hz)
    if "series" in told:
        series = told["series"]
        told["series"] = series | {name: thinned(series[name], MAX_POINTS) for name in ("cpu", "memory", "io")}
    return _shaped(models.PressureSection, told)


@router.get("/utilisation")
def get_utilisation(about: AskedOf, step_ns: StepOption = None) -> models.UtilisationSection | models.MissingPart:
    """How busy nodes and CPUs were, how even that was, and how long the runqueues were; the step is 5 s unless given."""
    about.check_steps(step_ns)
    return _shaped(models.UtilisationSection, about.tell("utilisation", step_ns=step_ns))


@router.get("/residency")
def get_residency(about: AskedOf, limit: LimitOption = 50) -> models.ResidencySection | models.MissingPart:
    """Which tasks ran on which nodes."""
    return _shaped(models.ResidencySection, about.tell("residency", limit=limit))


@router.get("/latency")
def get_latency(about: AskedOf, limit: LimitOption = 50) -> models.LatencySection | models.MissingPart:
    """From wake-up to running, for the waits that ended inside the window, and what they are made of."""
    return _shaped(models.LatencySection, about.tell("latency", limit=limit))


@router.get("/waste")
def get_waste(about: AskedOf, step_ns: StepOption = None) -> models.WasteSection | models.MissingPart:
    """CPU time that was idle beside waiting tasks, and why."""
    about.check_steps(step_ns)
    return _shaped(models.WasteSection, about.tell("waste", step_ns=step_ns))


@router.get("/findings")
def get_findings(
    about: AskedOf, psi_rules: RulesOption = None, hz: HzOption = None
) -> models.FindingsSection | models.MissingPart:
    """What the detectors found in the window, worst first."""
    return _shaped(models.FindingsSection, about.tell("findings", rules=psi_rules, hz=hz))


def thinned(items: list[Item], most: int) -> list[Item]:
    """Every n-th item so that there are at most `most`, and the last."""
    step = max(1, -(-len(items) // most))
    kept = items[::step]
    return kept if (len(items) - 1) % step == 0 or not items else [*kept, items[-1]]


def _shaped(model: type[Shape], told: dict[str, Any]) -> Shape | models.MissingPart:
    missing = told.get("available") is False
    return models.MissingPart.model_validate(told) if missing else model.model_validate(told)
