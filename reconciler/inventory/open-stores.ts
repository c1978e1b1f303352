// From what a Stack says to the store that keeps its inventory; what a store needs is loaded when that store is chosen.
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { ApiDiscovery } from "../../client/api-discovery.ts";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { stackCommand } from "../model/shell-command.ts";
import type { InventoryBackend, Stack } from "../model/index.ts";
import { fileInventory } from "./file.ts";
import { inventoryFilesOf } from "./orphaned-inventories.ts";
import type { StateServer } from "./service.ts";
import type { InventoryStore } from "./store.ts";

/** Holds the address of the database of inventories: svc's own, so that no Stack can name another and have it tried. */
const urlVariable = "SVC_INVENTORY_URL";

/** Which server keeps inventories, and as whom it is asked. */
export interface StoreAccess {
  readonly url: string;
  readonly credential: Secret;
  readonly scheme?: "bearer" | "api-key" | undefined;
  /** What the server offers, where somebody has asked already. */
  readonly apiDiscovery?: (() => Promise<ApiDiscovery>) | undefined;
}

/** What opening a store takes beside the stack. */
export interface OpenOptions {
  /** The stack's server, or how to find it out; asked only by stacks whose inventory may lie there. */
  readonly connection?: StoreAccess | (() => Promise<StoreAccess>) | undefined;
  /** The environment, which holds the addresses of databases. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The stores of one stack, closed together. Each call fails with `usage` where a server or database is needed that is not given. */
export interface Stores extends AsyncDisposable {
  /** Where the stack's inventory is kept: as the Stack says, else at its server where that keeps states, else in a file. */
  readonly place: () => Promise<InventoryBackend>;
  /** Of the stack's inventory. Fails with `refused` while a file of the stack still holds one that the place would not know of. */
  readonly stackStore: () => Promise<InventoryStore>;
  /** Of what else is kept in the same place, under a mark that no stack's name holds. */
  readonly companionStore: (mark: string) => Promise<InventoryStore>;
  /** The store of the stack, or of what is beside it, in this very place, whatever lies elsewhere. */
  readonly storeAt: (place: InventoryBackend, mark?: string) => Promise<InventoryStore>;
}

/** The stores of a stack; nothing is opened before it is asked for. */
export function openStores(stack: Stack, options: OpenOptions): Stores {
  const opened = new AsyncDisposableStack();
  let connected: Promise<StateServer> | undefined;
  const server = (): Promise<StateServer> =>
    (connected ??= connect(stack, options).then((one) => opened.use(one)));
  let chosen: Promise<InventoryBackend> | undefined;
  const place = (): Promise<InventoryBackend> =>
    (chosen ??=
      stack.inventory === undefined ? placeByDiscovery(server) : Promise.resolve(stack.inventory));
  const open = async (where: InventoryBackend, one: Stack): Promise<InventoryStore> => {
    const store = await openStoreAt(where, one, { server, env: options.env });
    opened.defer(() => store.close());
    return store;
  };
  const chosenFor = async (one: Stack): Promise<InventoryStore> => {
    const where = await place();
    if (where !== "file") await rejectExistingFiles(stack);
    return open(where, one);
  };
  return {
    place,
    stackStore: () => chosenFor(stack),
    companionStore: (mark) => chosenFor(sideStack(stack, mark)),
    storeAt: (where, mark) => open(where, mark === undefined ? stack : sideStack(stack, mark)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The stack as which what is kept beside its inventory under a mark is opened. */
export function sideStack(stack: Stack, mark: string): Stack {
  const { name, inventoryFile: path } = stack;
  const own = basename(path).replace(/(?:\.inventory)?\.json$/u, "");
  const inventoryFile = join(dirname(path), `${own}${mark}.inventory.json`);
  return { ...stack, name: `${name}${mark}`, inventoryFile };
}

/** True where a file, or what a first run that was killed has left of it, holds an inventory of the stack. */
function hasFile({ inventoryFile }: Stack): boolean {
  return existsSync(inventoryFile) || existsSync(`${inventoryFile}.journal`);
}

/** Only what the server itself says decides; that it does not answer, or refuses to, is a failure like any other. */
async function placeByDiscovery(server: () => Promise<StateServer>): Promise<InventoryBackend> {
  return (await (await server()).keepsInventories()) ? "service" : "file";
}

interface OpenContext extends Pick<OpenOptions, "env"> {
  readonly server: () => Promise<StateServer>;
}

async function openStoreAt(
  place: InventoryBackend,
  { inventoryFile, name, displayPath: seenAt }: Stack,
  { server, env }: OpenContext,
): Promise<InventoryStore> {
  if (place === "file") return fileInventory(inventoryFile, name, { displayPath: seenAt });
  const { remoteInventory } = await import("./remote-inventory.ts");
  if (place === "service")
    return remoteInventory((await server()).backend(name), name, { displayPath: seenAt });
  const { postgresBackend } = await import("./postgres.ts");
  return remoteInventory(postgresBackend(databaseUrl(env), name), name, { displayPath: seenAt });
}

/** What a file says is what the stack owns: a store that knows nothing of it would plan to make everything again. */
async function rejectExistingFiles(stack: Stack): Promise<void> {
  const own = stack.inventoryFile;
  const path = hasFile(stack) ? own : (await inventoryFilesOf(stack))[0];
  if (path === undefined) return;
  const { inventory, folder, name, displayPath: seenAt } = stack;
  const why = inventory === undefined ? ", and its server keeps inventories" : "";
  const within = relative(folder, path);
  const named = within === `.svc/${name}.inventory.json` ? "file" : `{ file: ${within} }`;
  const from = path === own ? [] : ["--from", fileDisplayPath(stack, path)];
  throw new Failure("refused", `the stack's inventory still lies in ${path}${why}`, {
    details: { path },
    remedy: `take it along: ${stackCommand({ displayPath: seenAt }, "move-inventory", ...from)}, or keep it there: write \`inventory: ${named}\` into the Stack`,
  });
}

/** A file of the stack as commands in messages name it: from the folder that they are told in. */
export function fileDisplayPath({ folder, displayPath: seenAt = "" }: Stack, path: string): string {
  return join(seenAt, relative(folder, path));
}

function databaseUrl(env: OpenOptions["env"]): Secret {
  const url = env[urlVariable];
  if (url !== undefined && url !== "") return new Secret(url);
  throw new Failure(
    "usage",
    `${urlVariable} is not set: it holds the address of the inventory's database`,
    { remedy: `set ${urlVariable} to postgres://USER:PASSWORD@HOST/DATABASE` },
  );
}

async function connect(stack: Stack, { connection }: OpenOptions): Promise<StateServer> {
  if (connection === undefined) {
    throw new Failure("usage", "the stack's inventory is kept by its server, and none is named", {
      remedy: "name the server and its key, as for `svc plan`",
    });
  }
  const { stateServer } = await import("./service.ts");
  const access = typeof connection === "function" ? await connection() : connection;
  const server = stateServer(access);
  if (stack.target === undefined || stack.target === server.origin) return server;
  await server[Symbol.asyncDispose]();
  const whose = `the stack is for ${stack.target}, but you are connected to ${server.origin}`;
  throw new Failure("refused", `${whose}, which keeps other inventories`, {
    remedy: "connect to the stack's own server, or change spec.target.url",
  });
}
