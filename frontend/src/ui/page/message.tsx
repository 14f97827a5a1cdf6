import type { ReactNode } from "react";

interface MessageProps {
  readonly title: string;
  readonly sentence: string;
  readonly children?: ReactNode;
}

export function Message({ title, sentence, children }: MessageProps) {
  return (
    <main className="message">
      <h1>{title}</h1>
      <p role="alert" data-testid="sentence">
        {sentence}
      </p>
      <div className="message-actions">{children}</div>
    </main>
  );
}
