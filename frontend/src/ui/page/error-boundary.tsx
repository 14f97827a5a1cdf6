import { Component, type ReactNode } from "react";
import { sentenceOf } from "../../api/errors.ts";

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
