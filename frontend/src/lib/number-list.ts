/** Whole numbers in a link: `0,1,12`. */

/** Ascending, each once; null for text that is no such list, and for none. */
export function parseNumbers(text: string | undefined): readonly number[] | null {
  if (text === undefined) return null;
  if (text === "") return [];
  const numbers = text.split(",");
  if (!numbers.every((number) => /^\d{1,5}$/.test(number))) return null;
  return [...new Set(numbers.map(Number))].sort((a, b) => a - b);
}

export function formatNumbers(numbers: readonly number[] | null): string | null {
  return numbers && [...numbers].sort((a, b) => a - b).join(",");
}
