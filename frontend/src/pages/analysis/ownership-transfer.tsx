import { useState } from "react";
import { sentenceOf } from "../../api/errors.ts";
import { peopleApi } from "../../api/session/session.ts";

interface Props {
  readonly id: string;
  readonly onBack: () => void;
}

/** For who handed an analysis over: it can be theirs again until its new owner changes that. */
export function TakeBack({ id, onBack }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const take = () => {
    peopleApi.takeBack(id).then(onBack, (error: unknown) => setProblem(sentenceOf(error)));
  };
  return (
    <button type="button" className="quiet" onClick={take} title="You handed this analysis over">
      {problem ?? "Take back"}
    </button>
  );
}
