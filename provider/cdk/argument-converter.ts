// What users give constructs, as the engine spells it: snake_case names, and JSON texts for what is left open.

/** How a member is spelt for the engine, and what is in it. */
export type ArgumentFormat =
  | "json"
  | { readonly each: ArgumentFormat | undefined }
  | { readonly members: ArgumentNames };

/** The members of an object, each with its name and what is in it. */
export interface ArgumentNames {
  readonly [member: string]: readonly [name: string, shape?: ArgumentFormat];
}

/** What is needed of the library: cdktf and cdktn have it alike. */
export interface CdkLibrary {
  readonly Fn: { jsonencode(value: unknown): unknown };
  readonly Token: { isUnresolved(value: unknown): boolean };
}

/** Spells the members of an object; what is undefined is left out. */
export type ToArguments = (names: ArgumentNames, values: object) => Record<string, unknown>;

/** Spells for one of the libraries. */
export function argumentConverter({ Fn, Token }: CdkLibrary): ToArguments {
  const spelled: ToArguments = (names, values) => {
    const given = values as Readonly<Record<string, unknown>>;
    const entries = Object.entries(names).flatMap(([member, [name, shape]]) => {
      const value = given[member];
      return value === undefined ? [] : [[name, shaped(shape, value)] as const];
    });
    return Object.fromEntries(entries);
  };
  const shaped = (shape: ArgumentFormat | undefined, value: unknown): unknown => {
    if (shape === undefined) return value;
    if (shape === "json") return Fn.jsonencode(value);
    if (Token.isUnresolved(value) || typeof value !== "object" || value === null) return value;
    if ("members" in shape) return spelled(shape.members, value);
    if (Array.isArray(value)) return value.map((item: unknown) => shaped(shape.each, item));
    const entries = Object.entries(value).map(([key, item]) => [key, shaped(shape.each, item)]);
    return Object.fromEntries(entries) as unknown;
  };
  return spelled;
}
