/** Fields of what is given to others, a link or a token: its recipient, how long it works, and its secret, shown once. */

import { CopyButton } from "../../ui/copy-button.tsx";
import { EXPIRIES } from "./share-expiry.ts";
import "./share.css";

interface FieldProps {
  readonly id: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ForField({ id, value, onChange, hint }: FieldProps & { readonly hint: string }) {
  return (
    <>
      <label htmlFor={id}>for</label>
      <input
        id={id}
        value={value}
        maxLength={120}
        placeholder={hint}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </>
  );
}

export function ExpiryField({ id, value, onChange }: FieldProps) {
  return (
    <>
      <label htmlFor={id}>expires after</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {EXPIRIES.map(([word]) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    </>
  );
}

interface SecretProps {
  readonly secret: string;
  readonly label: string;
  readonly testId: string;
}

/** The address that a link has. */
export function NewLink({ secret, label, testId }: SecretProps) {
  return <ShownOnce secret={secret} label={label} testId={testId} what="link" is="address" />;
}

/** What a program sends along. */
export function NewToken({ secret, label, testId }: SecretProps) {
  return <ShownOnce secret={secret} label={label} testId={testId} what="token" is="secret" />;
}

interface OnceProps extends SecretProps {
  readonly what: string;
  readonly is: string;
}

function ShownOnce({ secret, label, testId, what, is }: OnceProps) {
  return (
    <div className="share-link">
      <input
        readOnly
        value={secret}
        aria-label={label}
        data-testid={testId}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={secret} label={`Copy the ${what}`} word={`Copy ${what}`} />
      <p className="muted">This {is} is shown only now; the server keeps no copy of it.</p>
    </div>
  );
}
