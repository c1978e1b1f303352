// From what a Stack says to the store that keeps its inventory; what a store needs is loaded when that store is chosen.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { commandOn } from "../command.ts";
import type { Stack } from "../model.ts";
import { fileInventory } from "./file.ts";
import type { InventoryStore } from "./store.ts";

/** Holds the address of the database of inventories: svc's own, so that no Stack can name another and have it tried. */
const addressVariable = "SVC_INVENTORY_URL";

/** Which server keeps inventories, and as whom it is asked. */
export interface StoreAccess {
  readonly url: string;
  readonly credential: Secret;
  readonly scheme?: "bearer" | "api-key" | undefined;
}

/** What opening a store takes beside the stack. */
export interface OpenOptions {
  /** Where the stack's server is; asked only by stacks whose inventory lies there. */
  readonly access?: (() => Promise<StoreAccess>) | undefined;
  /** The environment, which holds the addresses of databases. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The stores of one stack, closed together. */
export interface Stores extends AsyncDisposable {
  /**
   * Of the stack's inventory. Fails with `usage` where the address of a database is not given, and with `refused` while a
   * file of the stack still holds an inventory that the store would not know of.
   */
  readonly own: () => Promise<InventoryStore>;
  /** Of what else is kept in the same place, under a mark that no stack's name holds. */
  readonly beside: (mark: string) => Promise<InventoryStore>;
}

/** The stores that a Stack names; nothing is opened before it is asked for. */
export function openStores(stack: Stack, options: OpenOptions): Stores {
  const opened = new AsyncDisposableStack();
  const kept = (store: InventoryStore): InventoryStore => {
    opened.defer(() => store.close());
    return store;
  };
  return {
    own: async () => {
      if (!isInFile(stack)) refuseFile(stack);
      return kept(await openStore(stack, options));
    },
    beside: async (mark) => kept(await openStore(besideOf(stack, mark), options)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The stack as which what is kept beside its inventory under a mark is opened. */
export function besideOf(stack: Stack, mark: string): Stack {
  const { name, inventoryFile: path } = stack;
  const own = basename(path).replace(/(?:\.inventory)?\.json$/u, "");
  const inventoryFile = join(dirname(path), `${own}${mark}.inventory.json`);
  return { ...stack, name: `${name}${mark}`, inventoryFile };
}

/** The store that a Stack names, whatever lies in its file. */
export async function openStore(
  { inventory, inventoryFile, name, seenAt }: Stack,
  options: OpenOptions,
): Promise<InventoryStore> {
  if (inventory === undefined) return fileInventory(inventoryFile, name, { seenAt });
  const { shelvedInventory } = await import("./shelved.ts");
  if (inventory === "postgres") {
    const { postgresShelf } = await import("./postgres.ts");
    return shelvedInventory(postgresShelf(addressIn(options.env), name), name, { seenAt });
  }
  const { serviceShelf } = await import("./service.ts");
  return shelvedInventory(serviceShelf(await accessTo(options), name), name, { seenAt });
}

/** True for a stack whose inventory is a file. */
export function isInFile({ inventory }: Stack): boolean {
  return inventory === undefined;
}

/** What the file says is what the stack owns: a store that knows nothing of it would plan to make everything again. */
function refuseFile({ inventoryFile, seenAt }: Stack): void {
  if (!existsSync(inventoryFile) && !existsSync(`${inventoryFile}.journal`)) return;
  throw new Failure("refused", `the stack's inventory still lies in ${inventoryFile}`, {
    details: { path: inventoryFile },
    remedy: `take it along: ${commandOn({ seenAt }, "move-inventory")}`,
  });
}

function addressIn(env: OpenOptions["env"]): Secret {
  const url = env[addressVariable];
  if (url !== undefined && url !== "") return new Secret(url);
  throw new Failure(
    "usage",
    `${addressVariable} is not set: it holds the address of the inventory's database`,
    { remedy: `set ${addressVariable} to postgres://USER:PASSWORD@HOST/DATABASE` },
  );
}

async function accessTo({ access }: OpenOptions): Promise<StoreAccess> {
  if (access !== undefined) return access();
  throw new Failure("usage", "the stack's inventory is kept by its server, and none is named", {
    remedy: "name the server and its key, as for `svc plan`",
  });
}
