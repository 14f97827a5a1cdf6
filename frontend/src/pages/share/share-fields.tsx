/** Fields of what is given to others, a link or a token: its recipient, how long it works, and its secret, shown once. */

import { CopyButton } from "../../ui/copy-button.tsx";
import { Field, Select } from "../../ui/fields.tsx";
import { EXPIRIES } from "./share-expiry.ts";
import "./share.css";

const CHOICES = EXPIRIES.map(([word]) => [word, word] as const);

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function ForField({ value, onChange, hint }: FieldProps & { readonly hint: string }) {
  return <Field name="for" value={value} maxLength={120} placeholder={hint} onText={onChange} />;
}

export function ExpiryField({ value, onChange }: FieldProps) {
  return <Select name="expires after" named value={value} choices={CHOICES} onChoose={onChange} />;
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
