import type { Badge } from "../../analysis/trust.ts";

/** Quiet, but never absent: what a reader must know before trusting the picture. */
export function Badges({
  badges,
  onOpen,
}: {
  readonly badges: readonly Badge[];
  readonly onOpen: () => void;
}) {
  return (
    <span className="badges">
      {badges.map((badge) => (
        <button
          key={badge.key}
          type="button"
          className={`badge badge-${badge.key}`}
          title={badge.detail}
          onClick={onOpen}
        >
          {badge.text}
        </button>
      ))}
    </span>
  );
}
