import { type Api, type ExportFormat, sentenceOf } from "../data/api.ts";

const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ["csv", "CSV"],
  ["ndjson", "NDJSON"],
  ["arrow", "Arrow"],
];

interface Props {
  readonly api: Api;
  /** Name of the file without what tells the format. */
  readonly name: string;
  readonly url: (format: ExportFormat) => string;
  readonly onProblem: (sentence: string | null) => void;
}

/** One export in every format there is. */
export function Downloads({ api, name, url, onProblem }: Props) {
  return (
    <span className="downloads">
      {FORMATS.map(([format, word]) => {
        const file = `${name}.${format}`;
        if (api.token === null) {
          return (
            <a key={format} href={url(format)} download={file}>
              {word}
            </a>
          );
        }
        // A plain link cannot carry the share token, and the token must not stand in an address.
        const fetchAndSave = () => {
          onProblem(null);
          api
            .open(url(format))
            .then((response) => response.blob())
            .then(
              (blob) => saveBlob(blob, file),
              (error: unknown) => onProblem(sentenceOf(error)),
            );
        };
        return (
          <button key={format} type="button" className="inline" onClick={fetchAndSave}>
            {word}
          </button>
        );
      })}
    </span>
  );
}

/** Hands a file to the reader. */
export function saveBlob(blob: Blob, file: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
