import { useMemo } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { parseMarkdown, renderMarkdown } from "../../ui/page/markdown.tsx";

interface Props {
  readonly text: string;
  readonly onClose: () => void;
}

/** docs/recording.md, whose first heading becomes the dialog's. */
export default function CaptureGuide({ text, onClose }: Props) {
  const words = useMemo(() => {
    const { children, ...root } = parseMarkdown(text);
    return renderMarkdown({ ...root, children: children.slice(1) }, { level: 3 });
  }, [text]);
  return (
    <Dialog title="How to record" onClose={onClose} className="guide">
      {words}
    </Dialog>
  );
}
