import { useCallback, useMemo, useState, useSyncExternalStore } from "react";
import type { Api } from "../data/api.ts";
import type { AnalysisDetail, TimelineInfo } from "../data/types.ts";
import type { Command } from "../logic/keys.ts";
import { toggleTheme } from "../theme/theme.ts";
import { Drawer } from "./drawer.tsx";
import { Inspector } from "./inspector.tsx";
import { KeySheet } from "./key-sheet.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { Timeline } from "./timeline.tsx";
import { useKeys } from "./use-keys.ts";
import type { Rereading } from "./use-reread.ts";
import { type LiveStage, useDrawer } from "./use-stage.ts";

export type OpenDialog = "share" | "keys" | null;

interface Props {
  readonly api: Api;
  readonly analysis: AnalysisDetail;
  readonly timeline: TimelineInfo;
  readonly live: LiveStage;
  readonly dialog: OpenDialog;
  readonly onDialog: (dialog: OpenDialog) => void;
  /** Only an owner can make links. */
  readonly canShare: boolean;
  readonly rereading: Rereading;
}

/** The timeline with its columns: what the engineer looks at. */
export function AnalysisView(props: Props) {
  const { api, analysis, timeline, live, dialog, onDialog, canShare, rereading } = props;
  const { stage } = live;
  const snapshot = useSyncExternalStore(stage.subscribe, stage.getSnapshot);
  const drawer = useDrawer(live);
  const { latency } = live.sections;
  const { answer: waits } = useSyncExternalStore(latency.subscribe, latency.getSnapshot);
  const [searches, setSearches] = useState(0);

  const down = useCallback(
    (command: Command): boolean => {
      switch (command) {
        case "sheet":
          onDialog("keys");
          return true;
        case "share":
          if (canShare) onDialog("share");
          return canShare;
        case "theme":
          toggleTheme();
          return true;
        case "search":
          if (live.drawer().tab !== "tasks") live.setDrawer({ tab: "tasks" });
          setSearches((n) => n + 1);
          return true;
        case "drawer":
          live.setDrawer({ tab: live.drawer().tab === null ? "findings" : null });
          return true;
        case "next-finding":
        case "previous-finding":
          live.stepFinding(command === "next-finding" ? "next" : "previous");
          return true;
        case "escape":
          if (stage.command("escape")) return true;
          if (live.drawer().tab === null) return false;
          live.setDrawer({ tab: null });
          return true;
        default:
          return stage.command(command);
      }
    },
    [stage, live, onDialog, canShare],
  );
  const handlers = useMemo(
    () => ({ down, up: (command: Command) => stage.release(command), blur: () => stage.releaseAll() }),
    [down, stage],
  );
  useKeys(handlers);

  return (
    <main className="analysis">
      <div className="main-column">
        <Timeline
          stage={stage}
          snapshot={snapshot}
          preview={live.preview}
          onDegree={(degree) => live.setDrawer({ degree })}
          onInputs={() => live.setDrawer({ tab: "inputs" })}
        />
        <Drawer
          state={drawer}
          live={live}
          api={api}
          analysis={analysis}
          timeline={timeline}
          snapshot={snapshot}
          searches={searches}
          rereading={rereading}
        />
      </div>
      <Inspector stage={stage} snapshot={snapshot} latency={waits?.available ? waits : null} />
      {dialog === "keys" && <KeySheet onClose={() => onDialog(null)} />}
      {dialog === "share" && (
        <ShareDialog api={api} id={analysis.id} view={live.address.query} onClose={() => onDialog(null)} />
      )}
    </main>
  );
}
