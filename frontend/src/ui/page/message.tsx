import { Component, type ReactNode } from "react";
import { sentenceOf } from "../../api/errors.ts";

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

interface Props {
  readonly children: ReactNode;
}

/** The last resort: a fault of the page itself ends in a sentence, never in an empty screen. */
export class ErrorBoundary extends Component<Props, { readonly sentence: string | null }> {
  override state = { sentence: null };

  static getDerivedStateFromError(error: unknown): { readonly sentence: string } {
    return { sentence: sentenceOf(error) };
  }

  override render(): ReactNode {
    if (this.state.sentence === null) return this.props.children;
    return (
      <main className="message">
        <h1>The page has a fault</h1>
        <p role="alert">
          Reload it to go on; uploads and analyses are not touched. It says: {this.state.sentence}
        </p>
      </main>
    );
  }
}
