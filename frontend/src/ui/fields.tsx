import { type ComponentProps, type InputHTMLAttributes, type ReactNode, useId } from "react";

/** A button that submits no form. */
export function Button(props: ComponentProps<"button">) {
  return <button type="button" {...props} />;
}

interface ChoicesProps<T extends string> {
  readonly value: T;
  /** Values and their words. */
  readonly choices: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
  readonly id?: string;
  readonly title?: string | undefined;
}

function Choices<T extends string>({ choices, onChoose, ...rest }: ChoicesProps<T>) {
  return (
    <select {...rest} onChange={(event) => onChoose(event.currentTarget.value as T)}>
      {choices.map(([choice, words]) => (
        <option key={choice} value={choice}>
          {words}
        </option>
      ))}
    </select>
  );
}

interface SelectProps<T extends string> extends Omit<ChoicesProps<T>, "id" | "title"> {
  readonly name: string;
  /** If true, the name is shown before it, not only on hover. */
  readonly named?: boolean;
}

/** A list to choose from and its name. */
export function Select<T extends string>({ name, named = false, ...rest }: SelectProps<T>) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className={named ? undefined : "visually-hidden"}>
        {name}
      </label>
      <Choices id={id} title={named ? undefined : name} {...rest} />
    </>
  );
}

interface InlineSelectProps<T extends string> extends Omit<ChoicesProps<T>, "id" | "title"> {
  readonly label: ReactNode;
  readonly className?: string;
}

/** A list to choose from, after its label. */
export function InlineSelect<T extends string>({ label, className, ...rest }: InlineSelectProps<T>) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the list is in it
    <label className={className}>
      {label} <Choices {...rest} />
    </label>
  );
}

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "name" | "onChange"> {
  readonly name: string;
  readonly value: string;
  readonly onText: (text: string) => void;
}

export function Field({ name, onText, ...rest }: FieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{name}</label>
      <input id={id} {...rest} onChange={(event) => onText(event.currentTarget.value)} />
    </>
  );
}

interface CheckProps {
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A check box, followed by its words. */
export function Check({ checked, onCheck, className, children }: CheckProps) {
  return (
    <label className={className}>
      <input type="checkbox" checked={checked} onChange={(event) => onCheck(event.currentTarget.checked)} />{" "}
      {children}
    </label>
  );
}
