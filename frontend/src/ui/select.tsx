import { useId } from "react";

/** A field and its name. */
export function Select<T extends string>({
  name,
  value,
  choices,
  onChoose,
}: {
  readonly name: string;
  readonly value: T;
  readonly choices: readonly (readonly [T, string])[];
  readonly onChoose: (value: T) => void;
}) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="visually-hidden">
        {name}
      </label>
      <select
        id={id}
        title={name}
        value={value}
        onChange={(event) => onChoose(event.currentTarget.value as T)}
      >
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </>
  );
}
