// Finds the object that a command names by its ID or one of its names.
import type { Client } from "../../../client/types.ts";
import { Failure } from "../../../core/errors.ts";
import { membersOf } from "../../../core/kind/fields.ts";
import { didYouMean } from "../../../core/text/naming.ts";
import type { Operation } from "../../../core/operation/operation.ts";

/** An object of a list. */
type Found = Readonly<Record<string, unknown>>;

/** How the names of one kind of objects are found. */
export interface Lookup {
  /** Singular noun for help and messages. */
  readonly label: string;
  readonly list: Operation;
  /** The command that calls {@link list}, without `svc` and its arguments. */
  readonly listCommand: string;
  /** Members of an object that are its names. */
  readonly names: readonly string[];
  /** Returns the ID that the name stands for (default: the member `id`); undefined if there is none. */
  readonly idOfFound?: (found: Found) => unknown;
  /** Query of the list with which it has every object. */
  readonly listQuery?: Readonly<Record<string, boolean>>;
  /** The text that means no object: the root of folders. */
  readonly root?: string;
  /** Another member of the request, with the type of the object: only objects of the type of `label` have names. */
  readonly typeMember?: string;
}

/** Returns the ID of an object of the list; undefined if the lookup finds no ID in it. */
export function foundId({ idOfFound = ({ id }) => id }: Lookup, found: Found): number | undefined {
  const id = idOfFound(found);
  return id === undefined ? undefined : Number(id);
}

/** Path parameters of a request. */
type Params = Readonly<Record<string, string | number>>;

/** Returns whether a text is an ID. */
export function isId(given: string): boolean {
  return /^[0-9]{1,10}$/u.test(given);
}

/**
 * Returns the ID of an object: digits are the ID itself. The list gets those `params` of the request
 * that it declares. Fails with `not_found`.
 */
export async function idOf(
  client: Client,
  lookup: Lookup,
  { given, params }: { readonly given: string; readonly params: Params },
): Promise<number> {
  if (isId(given)) return Number(given);
  const { label, list, names } = lookup;
  const own = membersOf(list.params).map(({ name }) => name);
  const found = (await client.reader.all(
    list as Operation<{ params: unknown; query: unknown; body: unknown }, unknown, "read">,
    {
      params: Object.fromEntries(Object.entries(params).filter(([name]) => own.includes(name))),
      query: { ...lookup.listQuery, ...narrowed(list, given) },
    },
  )) as readonly Found[];
  const matches = found.filter((one) => names.some((name) => one[name] === given));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) {
    const id = foundId(lookup, only);
    if (id !== undefined) return id;
    throw new Failure("not_found", `${JSON.stringify(given)} has no ${label}`);
  }
  if (matches.length > 1) {
    const ids = matches.map((one) => String(foundId(lookup, one))).join(", ");
    throw new Failure("usage", `several objects have the name ${JSON.stringify(given)}`, {
      remedy: `Pass the ID: ${ids}.`,
    });
  }
  const known = found.flatMap((one) => names.flatMap((name) => textsOf(one[name])));
  throw new Failure("not_found", `there is no ${label} ${JSON.stringify(given)}`, {
    remedy: didYouMean(given, known) ?? `Name the ${label} by its ID or its ${names.join(" or ")}.`,
  });
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

/** Returns the query with which the server finds a name itself, if the list has one. */
function narrowed(list: Operation, given: string): Readonly<Record<string, string>> {
  const filters = membersOf(list.query).map(({ name }) => name);
  const filter = ["name", "search"].find((name) => filters.includes(name));
  return filter === undefined ? {} : { [filter]: given };
}
