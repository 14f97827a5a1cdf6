interface Props {
  readonly label: string;
  readonly draft: string;
  readonly maxLength: number;
  readonly className?: string;
  /** null gives up. */
  readonly onDraft: (draft: string | null) => void;
  readonly onKeep: () => void;
}

/** A name that has become a field: Enter and leaving it keep what it says, Escape does not. */
export function DraftField({ label, draft, maxLength, className, onDraft, onKeep }: Props) {
  return (
    <input
      className={className}
      aria-label={label}
      value={draft}
      maxLength={maxLength}
      // biome-ignore lint/a11y/noAutofocus: the reader has just asked to type here
      autoFocus
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => onDraft(event.currentTarget.value)}
      onBlur={onKeep}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key === "Escape") onDraft(null);
      }}
    />
  );
}
