// client -> live: every collection that a wish or an owned object is in, read once.
import { scopeText } from "../core/identity.ts";
import type { JsonObject } from "../core/json.ts";
import type { Kind, Reader, ScopeKey } from "../core/kind.ts";
import { observe } from "../lifecycle/observe.ts";
import type { Live } from "./model.ts";

/** An object somebody asks about: where it is listed, and the fields that are to be seen of it. */
export interface Asked {
  readonly kind: Kind;
  readonly scope: ScopeKey;
  readonly fields: Iterable<string>;
}

interface Ask {
  readonly kind: Kind;
  readonly scopes: Map<string, ScopeKey>;
  readonly interest: Set<string>;
}

/** Reads the collections of everything that is asked about, kinds side by side; the client bounds what is in flight. */
export async function observeAll(
  asked: Iterable<Asked>,
  { reader, signal }: { reader: Reader; signal?: AbortSignal | undefined },
): Promise<Live> {
  const asks = new Map<string, Ask>();
  for (const { kind, scope, fields } of asked) {
    const ask = asks.get(kind.name) ?? { kind, scopes: new Map(), interest: new Set() };
    asks.set(kind.name, ask);
    ask.scopes.set(scopeText(scope), scope);
    for (const name of fields) ask.interest.add(name);
  }
  const observed = await Promise.all(
    [...asks.values()].map(({ kind, scopes, interest }) =>
      observe(kind, [...scopes.values()], { reader, interest, signal }),
    ),
  );
  return new Map(observed.map((one) => [one.kind.name, one]));
}

/** The names of the fields that are set. */
export function fieldNames(spec: JsonObject): string[] {
  return Object.keys(spec).filter((name) => spec[name] !== undefined);
}
