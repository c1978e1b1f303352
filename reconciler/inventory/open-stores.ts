// Opens the store that a Stack names; loads the code of a store only when it is used.
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { InventoryBackend, Stack } from "../model/index.ts";
import { fileInventory } from "./file.ts";
import { inventoryStore } from "./inventory-store.ts";
import type { StateServer, StoreAccess } from "./service.ts";
import type { InventoryStore } from "./store.ts";

/**
 * Names the variable with the URL of the inventory database. A fixed name, so that no Stack can choose another
 * variable.
 */
const urlVariable = "SVC_INVENTORY_URL";

/** Options of {@link openStores}. */
export interface OpenOptions {
  /**
   * The stack's server, or how to connect; used only by stacks whose inventory may be there. Without a rate of requests, the
   * one of the stack's policy applies.
   */
  readonly connection?: StoreAccess | (() => Promise<StoreAccess>) | undefined;
  /** The environment with the URL of the database. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The stores of one stack, closed together. Each call fails with `usage` if a required server or database is not
 * configured.
 */
export interface Stores extends AsyncDisposable {
  /**
   * Returns where the inventory is: as the Stack says, otherwise at its server. Fails with `refused` if the server
   * offers no states.
   */
  readonly place: () => Promise<InventoryBackend>;
  /**
   * Opens the stack's inventory. Fails with `refused` if it is elsewhere, while the stack's file contains one.
   */
  readonly stackStore: () => Promise<InventoryStore>;
  /** Returns the address of the stack's server. */
  readonly serverOrigin: () => Promise<string>;
  /** Opens the store of a companion record in the same place; its suffix is not allowed in stack names. */
  readonly companionStore: (suffix: string) => Promise<InventoryStore>;
  /** Opens the store of the stack, or of a companion record, in the given place. */
  readonly storeAt: (place: InventoryBackend, suffix?: string) => Promise<InventoryStore>;
}

/** Returns the stores of a stack; each is opened on first use. */
export function openStores(stack: Stack, options: OpenOptions): Stores {
  const opened = new AsyncDisposableStack();
  let connected: Promise<StateServer> | undefined;
  const server = (): Promise<StateServer> =>
    (connected ??= connect(stack, options).then((connection) => opened.use(connection)));
  let chosen: Promise<InventoryBackend> | undefined;
  const place = (): Promise<InventoryBackend> =>
    (chosen ??=
      stack.inventory === undefined
        ? placeByDiscovery(stack, server)
        : Promise.resolve(stack.inventory));
  const open = async (where: InventoryBackend, owner: Stack): Promise<InventoryStore> => {
    const store = await openStoreAt(where, owner, { server, env: options.env });
    opened.defer(() => store.close());
    return store;
  };
  const chosenFor = async (owner: Stack): Promise<InventoryStore> => {
    const where = await place();
    if (where !== "file") rejectExistingFile(stack);
    return open(where, owner);
  };
  return {
    place,
    stackStore: () => chosenFor(stack),
    serverOrigin: async () => (await server()).origin,
    companionStore: (suffix) => chosenFor(companionStack(stack, suffix)),
    storeAt: (where, suffix) =>
      open(where, suffix === undefined ? stack : companionStack(stack, suffix)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/**
 * Suffixes of the names of the inventories that accompany a stack's own, and move with it: the record of its pipelines, and
 * the lock of a running promotion. Stack names cannot contain `@`, so they never collide with a stack's inventory.
 */
export const storeSuffixes = { record: "@promotions", running: "@promoting" } as const;

/** Returns the store for the records of a stack's pipelines. */
export function recordStore(stores: Pick<Stores, "companionStore">): Promise<InventoryStore> {
  return stores.companionStore(storeSuffixes.record);
}

/** Returns the store that holds only the lock of the running promotion. */
export function promotionLockStore(
  stores: Pick<Stores, "companionStore">,
): Promise<InventoryStore> {
  return stores.companionStore(storeSuffixes.running);
}

/** Returns the stack whose inventory stores a companion record. */
export function companionStack(stack: Stack, suffix: string): Stack {
  const { name, inventoryFile: path } = stack;
  const own = basename(path).replace(/(?:\.inventory)?\.json$/u, "");
  const inventoryFile = join(dirname(path), `${own}${suffix}.inventory.json`);
  return { ...stack, name: `${name}${suffix}`, inventoryFile };
}

/** True if a file, or the journal of a crashed first run, contains an inventory of the stack. */
function hasFile({ inventoryFile }: Stack): boolean {
  return existsSync(inventoryFile) || existsSync(`${inventoryFile}.journal`);
}

/**
 * The service is the place, unless the Stack names another one or has its file already: a server that stops offering
 * states must not lead to an empty file.
 */
async function placeByDiscovery(
  stack: Stack,
  server: () => Promise<StateServer>,
): Promise<InventoryBackend> {
  const { origin, keepsInventories } = await server();
  if (await keepsInventories()) return "service";
  if (hasFile(stack)) return "file";
  throw new Failure(
    "refused",
    `${origin} stores no inventories, and stack ${stack.name} does not say where its inventory is`,
    {
      remedy:
        "For a new stack, write `inventory: file` or `inventory: postgres` into the Stack; if its inventory was at this server, wait until it offers states again (/api/v1/spec).",
    },
  );
}

interface OpenContext extends Pick<OpenOptions, "env"> {
  readonly server: () => Promise<StateServer>;
}

async function openStoreAt(
  place: InventoryBackend,
  { inventoryFile, name, displayPath }: Stack,
  { server, env }: OpenContext,
): Promise<InventoryStore> {
  if (place === "file") return fileInventory(inventoryFile, name, { displayPath });
  if (place === "service")
    return inventoryStore((await server()).backend(name), name, { displayPath });
  const { postgresBackend } = await import("./postgres.ts");
  return inventoryStore(postgresBackend(databaseUrl(env), name), name, { displayPath });
}

/** The file records the objects that the stack owns. With another store, a plan would create all of them again. */
function rejectExistingFile(stack: Stack): void {
  if (!hasFile(stack)) return;
  const { inventory, inventoryFile: path } = stack;
  const why = inventory === undefined ? ", but its server stores inventories" : "";
  throw new Failure("refused", `the stack's inventory is still in ${path}${why}`, {
    details: { path },
    remedy: `Move it: ${stackCommand(stack, "inventory", "move")}, or keep it there: write \`inventory: file\` into the Stack.`,
  });
}

function databaseUrl(env: OpenOptions["env"]): Secret {
  const url = env[urlVariable];
  if (url !== undefined && url !== "") return new Secret(url);
  throw new Failure(
    "usage",
    `${urlVariable} is not set: it holds the address of the inventory's database`,
    { remedy: `Set ${urlVariable} to postgres://USER:PASSWORD@HOST/DATABASE.` },
  );
}

async function connect(stack: Stack, { connection }: OpenOptions): Promise<StateServer> {
  if (connection === undefined) {
    throw new Failure("usage", "the stack's inventory is at its server, but no server is named", {
      remedy: "Name the server and its key, as for `svc plan`.",
    });
  }
  const { stateServer } = await import("./service.ts");
  const access = typeof connection === "function" ? await connection() : connection;
  const requestsPerSecond = access.requestsPerSecond ?? stack.policy.requestsPerSecond;
  const server = stateServer({ ...access, requestsPerSecond });
  if (stack.target === undefined || stack.target === server.origin) return server;
  await server[Symbol.asyncDispose]();
  const whose = `the stack is for ${stack.target}, but you are connected to ${server.origin}`;
  throw new Failure("refused", `${whose}, which stores other inventories`, {
    remedy: "Connect to the stack's own server, or change spec.target.url.",
  });
}
