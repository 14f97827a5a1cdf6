interface Props {
  /** null while all is well. */
  readonly sentence: string | null;
}

/** What went wrong, read out at once. */
export function Problem({ sentence }: Props) {
  if (sentence === null) return null;
  return (
    <p className="problem" role="alert">
      {sentence}
    </p>
  );
}
