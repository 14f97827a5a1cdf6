/** The TypeScript text that belongs to an OpenAPI document. */
export function render(source?: URL): Promise<string>;
