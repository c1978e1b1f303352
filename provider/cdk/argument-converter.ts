// Converts construct arguments to Terraform's form: snake_case names, and JSON text for values of any type.

/** How to convert a value. */
export type ArgumentFormat =
  | "json"
  | { readonly each: ArgumentFormat | undefined }
  | { readonly members: ArgumentNames };

/** The members of an object, with their Terraform names and formats. */
export interface ArgumentNames {
  readonly [member: string]: readonly [name: string, shape?: ArgumentFormat];
}

/** The parts of cdktf and cdktn that the converter uses. */
export interface CdkLibrary {
  readonly Fn: { jsonencode(value: unknown): unknown };
  readonly Token: { isUnresolved(value: unknown): boolean };
  readonly Tokenization: { reverse(value: unknown): readonly object[] };
}

/** Converts the members of an object. Omits undefined ones. */
export type ToArguments = (names: ArgumentNames, values: object) => Record<string, unknown>;

/** Creates a converter for one of the libraries. */
export function argumentConverter({ Fn, Token, Tokenization }: CdkLibrary): ToArguments {
  const isEncoded = (value: unknown): boolean =>
    Token.isUnresolved(value) &&
    Tokenization.reverse(value).some((token) => "name" in token && token.name === "jsonencode");
  const toArguments: ToArguments = (names, values) => {
    const members = values as Readonly<Record<string, unknown>>;
    const entries = Object.entries(names).flatMap(([member, [name, shape]]) => {
      const value = members[member];
      return value === undefined ? [] : [[name, convert(shape, value, member)] as const];
    });
    return Object.fromEntries(entries);
  };
  const convert = (shape: ArgumentFormat | undefined, value: unknown, member: string): unknown => {
    if (shape === undefined) return value;
    if (shape === "json") {
      if (!isEncoded(value)) return Fn.jsonencode(value);
      throw new Error(`${member} is encoded already: give the value without Fn.jsonencode`);
    }
    if (Token.isUnresolved(value) || typeof value !== "object" || value === null) return value;
    if ("members" in shape) return toArguments(shape.members, value);
    if (Array.isArray(value))
      return value.map((item: unknown) => convert(shape.each, item, member));
    const entries = Object.entries(value).map(([key, item]) => [
      key,
      convert(shape.each, item, member),
    ]);
    return Object.fromEntries(entries) as unknown;
  };
  return toArguments;
}
