import { useState } from "react";
import { ownerApi } from "../../api/session/session.ts";
import type { Analysis, AnalysisInput } from "../../api/types.ts";
import { formatBytes, formatCount, formatWhen } from "../../lib/format.ts";
import { analysisPath } from "../../lib/routes.ts";
import { Button } from "../../ui/fields.tsx";
import { Link } from "../../ui/page/link.tsx";
import { StageLine, useProgress } from "../../ui/stage-progress.tsx";
import { useAct } from "../../ui/use-load.ts";

interface Props {
  readonly analysis: Analysis;
  readonly live: boolean;
  readonly chosen: boolean;
  readonly onChoose: (on: boolean) => void;
  /** Called when it was changed or deleted. */
  readonly onChange: () => void;
  readonly onDescribe: () => void;
  /** Finds everything with a word. */
  readonly onSearch: (word: string) => void;
}

export function AnalysisRow(props: Props) {
  const { analysis, live, chosen, onChoose, onChange, onDescribe, onSearch } = props;
  const step = useProgress(analysis, live, onChange);
  const [confirming, setConfirming] = useState(false);
  const { problem, act } = useAct();
  const remove = () => {
    setConfirming(false);
    act(ownerApi.analyses.delete(analysis.id).then(onChange));
  };
  const { inputs } = analysis;
  const owned = analysis.access === "owner";
  return (
    <tr data-status={analysis.status}>
      <td className="compare-check">
        {analysis.status === "ready" && (
          <input
            type="checkbox"
            checked={chosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
            aria-label={`Compare ${analysis.title}`}
          />
        )}
      </td>
      <td className="title-cell">
        <Link to={analysisPath(analysis.id, "")}>{analysis.title}</Link>
        {analysis.sample && <span className="tag">sample</span>}
        {!owned && <span className="muted"> of {analysis.owners.join(", ") || "the administrators"}</span>}
        {analysis.incident !== null && (
          <Tag word={analysis.incident} title="All analyses of this incident" onSearch={onSearch} />
        )}
        {analysis.tags.map((tag) => (
          <Tag key={tag} word={`#${tag}`} title="All analyses with this tag" onSearch={onSearch} />
        ))}
        {analysis.description !== "" && <p className="described">{analysis.description}</p>}
        <p className="files">{inputs.map((input) => input.name).join(", ")}</p>
        {step && <StageLine step={step} />}
        {analysis.status === "failed" && <p className="problem">{analysis.error?.sentence}</p>}
        {problem !== null && <p className="problem">{problem}</p>}
      </td>
      <td className="num right">{formatBytes(sum(inputs, "bytes"))}</td>
      <td className="num right">{counted(analysis, "events")}</td>
      <td className="num right">{counted(analysis, "samples")}</td>
      <td className="num right">{Math.max(0, ...inputs.map((input) => input.cpus ?? 0)) || ""}</td>
      <td className="num">{formatWhen(analysis.created_at)}</td>
      <td className="right row-actions">
        {!owned ? null : confirming ? (
          <>
            <Button className="danger" onClick={remove}>
              Delete
            </Button>
            <Button className="quiet" onClick={() => setConfirming(false)}>
              Keep
            </Button>
          </>
        ) : (
          <>
            <Button className="quiet" onClick={onDescribe} aria-label={`Edit details of ${analysis.title}`}>
              Edit details
            </Button>
            <Button
              className="quiet"
              onClick={() => setConfirming(true)}
              aria-label={`Delete ${analysis.title}`}
            >
              Delete
            </Button>
          </>
        )}
      </td>
    </tr>
  );
}

interface TagProps extends Pick<Props, "onSearch"> {
  readonly word: string;
  readonly title: string;
}

function Tag({ word, title, onSearch }: TagProps) {
  return (
    <Button className="tag" title={title} onClick={() => onSearch(word)}>
      {word}
    </Button>
  );
}

/** Empty before it is read, and for analyses without any. */
function counted({ status, inputs }: Analysis, field: "events" | "samples"): string {
  const total = sum(inputs, field);
  return status === "ready" && total > 0 ? formatCount(total) : "";
}

function sum(inputs: readonly AnalysisInput[], field: "bytes" | "events" | "samples"): number {
  return inputs.reduce((total, input) => total + (input[field] ?? 0), 0);
}
