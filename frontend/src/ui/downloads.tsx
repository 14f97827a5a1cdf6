import { sentenceOf } from "../api/client.ts";
import type { ExportFormat } from "../api/routes/downloads.ts";
import type { Api } from "../api/routes/service.ts";
import { Button } from "./fields.tsx";
import { usePermission } from "./permissions.ts";

const FORMATS: readonly (readonly [ExportFormat, string])[] = [
  ["csv", "CSV"],
  ["ndjson", "NDJSON"],
  ["arrow", "Arrow"],
];

interface Props {
  readonly api: Api;
  /** Name of the file without its suffix. */
  readonly name: string;
  readonly url: (format: ExportFormat) => string;
  readonly onProblem: (sentence: string | null) => void;
}

/** One export in every format there is. */
export function Downloads({ api, name, url, onProblem }: Props) {
  if (!usePermission("download")) return null;
  return (
    <span className="downloads">
      {FORMATS.map(([format, word]) => (
        <SaveLink
          key={format}
          api={api}
          file={`${name}.${format}`}
          url={url(format)}
          word={word}
          onProblem={onProblem}
        />
      ))}
    </span>
  );
}

interface SaveProps extends Pick<Props, "api" | "onProblem"> {
  readonly file: string;
  readonly url: string;
  readonly word: string;
  readonly title?: string;
}

/** A file to be saved from an address of the service, where the reader may. */
export function SaveLink({ api, file, url, word, title, onProblem }: SaveProps) {
  if (!usePermission("download")) return null;
  if (api.token === null) {
    return (
      <a href={url} download={file} title={title}>
        {word}
      </a>
    );
  }
  // A plain link cannot carry the share token, and the token must not be in an address.
  const fetchAndSave = () => {
    onProblem(null);
    api.downloads
      .open(url)
      .then((response) => response.blob())
      .then(
        (blob) => saveBlob(blob, file),
        (error: unknown) => onProblem(sentenceOf(error)),
      );
  };
  return (
    <Button className="inline" title={title} onClick={fetchAndSave}>
      {word}
    </Button>
  );
}

export function saveBlob(blob: Blob, file: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
