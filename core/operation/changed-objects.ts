// Which objects a write changes, as data: how the audit log names them.

/** A member of the request or of the response; `item` is one of the list of objects, or a member of it. */
export type ChangedField =
  | `${"params" | "query" | "body" | "answer" | "item"}.${string}`
  | "item"
  /** The ID of the calling user. */
  | "caller";

/** The type of the objects: `users`, or the one for a member's value. */
export type ChangedType =
  | string
  | { readonly by: ChangedField; readonly types: Readonly<Record<string, string>> };

/** The objects of one type that a write changes. */
export interface ChangedObjects {
  readonly type: ChangedType;
  /**
   * The members that are the ID of an object, joined with `/` without the absent ones; or the name of the lookup that
   * finds the objects, if neither the request nor the response has their IDs.
   */
  readonly id: readonly ChangedField[] | { readonly lookup: string };
  /** The list of the request or the response with an item for each object. Without it, the call changes one object. */
  readonly items?: `${"body" | "answer"}.${string}`;
  /**
   * ID of the operation that reads the object, with the parameters of the write; by default, the read operation of the
   * type.
   */
  readonly reads?: string;
  /** The object that each one is a part of, by a part of the ID. A separate entry names it too. */
  readonly partOf?: { readonly type: string; readonly part: number };
}

/** The parts of a call that name objects. */
export interface ChangeRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** ID of the calling user. */
  readonly caller: number;
  /** The result of the call; undefined before it ran. */
  readonly answer: unknown;
}

/** An object that a write changes. */
export interface ChangedObject {
  readonly type: string;
  readonly id: string;
  /** The item of the response, which has the values of the object. */
  readonly values?: unknown;
}

/** Returns the objects that the members of a call name, as far as it has them. */
export function namedObjects(
  { type, id, items }: ChangedObjects,
  request: ChangeRequest,
): readonly ChangedObject[] {
  const list = items === undefined ? [undefined] : listOf(memberAt(items, request, undefined));
  return list.flatMap((item) => {
    const name = typeof type === "string" ? type : namedType(type, request, item);
    const own = "lookup" in id ? undefined : idOf(id, request, item);
    if (name === undefined || own === undefined) return [];
    return [{ type: name, id: own, ...(items?.startsWith("answer.") && { values: item }) }];
  });
}

/** Returns the type of the objects that an operation names first; undefined if each has its own type. */
export function onlyType({ type }: ChangedObjects): string | undefined {
  return typeof type === "string" ? type : undefined;
}

function namedType(
  { by, types }: Exclude<ChangedType, string>,
  request: ChangeRequest,
  item: unknown,
): string | undefined {
  return types[String(memberAt(by, request, item))];
}

function idOf(
  fields: readonly ChangedField[],
  request: ChangeRequest,
  item: unknown,
): string | undefined {
  const parts = fields.map((path) => memberAt(path, request, item));
  const texts = parts.filter((part) => typeof part === "string" || typeof part === "number");
  return texts.length === 0 ? undefined : texts.join("/");
}

function memberAt(path: ChangedField, request: ChangeRequest, item: unknown): unknown {
  if (path === "caller") return request.caller;
  const [part = "", ...names] = path.split(".");
  const whole = part === "item" ? item : request[part as "params" | "query" | "body" | "answer"];
  return names.reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null
        ? (value as Readonly<Record<string, unknown>>)[name]
        : undefined,
    whole,
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
