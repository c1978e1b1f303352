// Moves objects to a version by plan and apply: the stack's own, narrowed to these objects and to what they run.
import { hasErrors } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { applyPlan } from "../apply.ts";
import type { InventoryStore } from "../inventory/store.ts";
import type { Applied, Live, Wish } from "../model.ts";
import { authorOf } from "../author.ts";
import { checkedPlan, mustBePermitted } from "../preflight.ts";
import type { Session, VerbOptions } from "../session.ts";
import { releasesOf } from "./world.ts";

/** What is to be moved, and whereto. */
export interface Move {
  readonly addresses: readonly string[];
  readonly version: string;
  /** Who asks for it, and why, as the history of the stack tells. */
  readonly by: string;
  readonly message: string;
}

/** What became of a move. */
export interface Moved {
  /** Addresses that were read back and run the version. */
  readonly moved: readonly string[];
  /** What went wrong with the others. */
  readonly failures: readonly string[];
}

/** Plans and applies. Fails as plan and apply do, with nothing written where the plan holds errors. */
export async function moveDirectly(
  session: Session,
  { addresses, version, by, message }: Move,
  options: VerbOptions,
): Promise<Moved> {
  const { env, signal, progress, now } = options;
  const wanted = new Set(addresses);
  const wishes = session.desired.wishes.filter(({ address }) => wanted.has(address));
  const narrow: Session = {
    ...session,
    desired: { ...session.desired, wishes: wishes.map((wish) => running(wish, version)) },
    store: narrowed(session.store, wanted),
  };
  const planned = await checkedPlan(narrow, { ...options, diagnostics: [] });
  if (!planned.ok) throw refusal(planned.diagnostics.map(({ summary }) => summary));
  const { plan, live } = planned;
  const errors = plan.diagnostics.filter((one) => hasErrors([one]));
  if (errors.length > 0) throw refusal(errors.map(({ summary }) => summary));
  mustBePermitted(plan);
  const author = authorOf({ by, message }, { env, folder: session.desired.stack.folder });
  const how = { signal, progress, now, author, seen: live };
  const applied = await applyPlan(plan, { ...narrow, ...how });
  const said = wishes.map((wish): readonly [string, string | undefined] => [
    wish.address,
    whyNot(wish, { version, live, applied }),
  ]);
  return {
    moved: said.flatMap(([address, why]) => (why === undefined ? [address] : [])),
    failures: said.flatMap(([address, why]) => (why === undefined ? [] : `${address}: ${why}`)),
  };
}

/** Why an object counts as not moved: a write that was answered is no proof, and a plan with nothing in it even less. */
function whyNot(
  { kind, key, address }: Wish,
  { version, live, applied }: { version: string; live: Live; applied: Applied },
): string | undefined {
  const { field } = releasesOf(kind);
  const outcome = applied.outcomes.find((one) => one.address === address);
  if (outcome === undefined || outcome.action === "none") {
    const seen = live.get(kind.name)?.byKey.get(key)?.spec[field];
    const isThere = isObject(seen) && seen["version"] === version;
    return isThere ? undefined : "not managed: the plan had nothing to write for it";
  }
  if (outcome.result !== "done") return outcome.failure?.message ?? "it was not tried";
  const { unverified, stopped, residual } = applied;
  if (unverified !== undefined) return `it could not be read back: ${unverified}`;
  if (stopped !== undefined) return "it was not read back, since the run was stopped";
  const differs = residual.find((one) => one.address === address)?.fields ?? [];
  const isLeft = differs.some(({ path }) => `/${field}/version`.startsWith(path));
  return isLeft ? "not taken: it still runs another version" : undefined;
}

function refusal(said: readonly string[]): Failure {
  return new Failure("refused", `the plan of this promotion holds errors: ${said.join("; ")}`, {
    remedy: "see `svc plan`, and mend the stack first",
  });
}

/** The wish with nothing in it but its key and what it is to run: other differences are none of a promotion's business. */
function running(wish: Wish, version: string): Wish {
  const { kind, spec, rules } = wish;
  const { field } = releasesOf(kind);
  const own = isObject(spec[field]) ? spec[field] : {};
  const key = kind.key.map((name) => [name, spec[name]] as const);
  // Else the service would go on by itself to the next patch.
  const release: JsonObject = { ...own, version, hold: own["hold"] ?? true };
  const manage = (rules?.manage ?? ["observe", "update"]).filter(
    (verb) => verb === "observe" || verb === "update",
  );
  const { protect, ignore = [] } = rules ?? {};
  const at = `/spec/${field}`;
  const left = ignore.filter(({ path }) => path === at || path.startsWith(`${at}/`));
  return {
    ...wish,
    needs: [],
    spec: { ...Object.fromEntries(key), [field]: release },
    rules: {
      manage,
      ...(left.length === 0 ? {} : { ignore: left }),
      ...(protect === undefined ? {} : { protect }),
    },
  };
}

/**
 * The stack's inventory with just these objects in it. It is locked, and remembers the run, and nothing else of it: what the
 * manifests wish for does not change by promoting.
 */
function narrowed(store: InventoryStore, wanted: ReadonlySet<string>): InventoryStore {
  return {
    owner: (origin, kind, key) => store.owner(origin, kind, key),
    unlock: (id) => store.unlock(id),
    close: () => store.close(),
    read: async () => {
      const { pipelines: _, ...inventory } = await store.read();
      const entries = Object.entries(inventory.entries).filter(([address]) => wanted.has(address));
      return { ...inventory, entries: Object.fromEntries(entries) };
    },
    lock: async () => {
      const lock = await store.lock("promote");
      const whole = await store.read();
      return {
        info: lock.info,
        lost: lock.lost,
        journal: (records) => lock.journal(records.filter(({ phase }) => phase === "run")),
        write: async ({ runs, ...inventory }) => {
          await lock.write({ ...whole, ...(runs && { runs }) });
          return { ...inventory, ...(runs && { runs }) };
        },
        release: () => lock.release(),
      };
    },
  };
}
