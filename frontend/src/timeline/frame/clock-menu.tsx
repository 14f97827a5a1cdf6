import { CLOCKS, type Clock } from "../../lib/clock.ts";
import { Menu } from "../../ui/menu.tsx";

export const CLOCK_WORDS: Readonly<Record<Clock, string>> = {
  trace: "trace time, s",
  recording: "since the start, s",
  wall: "wall clock, UTC",
};

export const CLOCK_MENU = "Clock of the time axis";

interface Props {
  readonly clock: Clock;
  /** Something recorded says how it relates to the trace clock. */
  readonly wall: boolean;
  readonly onClock: (clock: Clock) => void;
}

/** Chooses the clock that all times of the page are shown by. */
export function ClockMenu({ clock, wall, onClock }: Props) {
  const shown = clock === "wall" && !wall ? "trace" : clock;
  return (
    <Menu
      name={CLOCK_MENU}
      text={CLOCK_WORDS[shown]}
      items={CLOCKS.map((each) => ({
        name: each === "wall" && !wall ? `${CLOCK_WORDS.wall}: not recorded` : CLOCK_WORDS[each],
        checked: each === shown,
        disabled: each === "wall" && !wall,
        onPick: () => onClock(each),
      }))}
    />
  );
}
