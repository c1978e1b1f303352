// From what a Stack says to the store that keeps its inventory; what a store needs is loaded when that store is chosen.
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Offer } from "../../client/offer.ts";
import { Failure } from "../../core/errors.ts";
import { Secret } from "../../core/secret.ts";
import { commandOn } from "../command.ts";
import type { InventoryPlace, Stack } from "../model.ts";
import { fileInventory } from "./file.ts";
import { inventoriesOf } from "./strays.ts";
import type { StateServer } from "./service.ts";
import type { InventoryStore } from "./store.ts";

/** Holds the address of the database of inventories: svc's own, so that no Stack can name another and have it tried. */
const addressVariable = "SVC_INVENTORY_URL";

/** Which server keeps inventories, and as whom it is asked. */
export interface StoreAccess {
  readonly url: string;
  readonly credential: Secret;
  readonly scheme?: "bearer" | "api-key" | undefined;
  /** What the server offers, where somebody has asked already. */
  readonly offered?: (() => Promise<Offer>) | undefined;
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
  readonly place: () => Promise<InventoryPlace>;
  /** Of the stack's inventory. Fails with `refused` while a file of the stack still holds one that the place would not know of. */
  readonly own: () => Promise<InventoryStore>;
  /** Of what else is kept in the same place, under a mark that no stack's name holds. */
  readonly beside: (mark: string) => Promise<InventoryStore>;
  /** The store of the stack, or of what is beside it, in this very place, whatever lies elsewhere. */
  readonly at: (place: InventoryPlace, mark?: string) => Promise<InventoryStore>;
}

/** The stores of a stack; nothing is opened before it is asked for. */
export function openStores(stack: Stack, options: OpenOptions): Stores {
  const opened = new AsyncDisposableStack();
  let connected: Promise<StateServer> | undefined;
  const server = (): Promise<StateServer> =>
    (connected ??= connect(stack, options).then((one) => opened.use(one)));
  let chosen: Promise<InventoryPlace> | undefined;
  const place = (): Promise<InventoryPlace> =>
    (chosen ??= stack.inventory === undefined ? byOffer(server) : Promise.resolve(stack.inventory));
  const open = async (where: InventoryPlace, one: Stack): Promise<InventoryStore> => {
    const store = await openAt(where, one, { server, env: options.env });
    opened.defer(() => store.close());
    return store;
  };
  const chosenFor = async (one: Stack): Promise<InventoryStore> => {
    const where = await place();
    if (where !== "file") await refuseFiles(stack);
    return open(where, one);
  };
  return {
    place,
    own: () => chosenFor(stack),
    beside: (mark) => chosenFor(besideOf(stack, mark)),
    at: (where, mark) => open(where, mark === undefined ? stack : besideOf(stack, mark)),
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

/** True where a file, or what a first run that was killed has left of it, holds an inventory of the stack. */
function hasFile({ inventoryFile }: Stack): boolean {
  return existsSync(inventoryFile) || existsSync(`${inventoryFile}.journal`);
}

/** Only what the server itself says decides; that it does not answer, or refuses to, is a failure like any other. */
async function byOffer(server: () => Promise<StateServer>): Promise<InventoryPlace> {
  return (await (await server()).keepsInventories()) ? "service" : "file";
}

interface Opening extends Pick<OpenOptions, "env"> {
  readonly server: () => Promise<StateServer>;
}

async function openAt(
  place: InventoryPlace,
  { inventoryFile, name, seenAt }: Stack,
  { server, env }: Opening,
): Promise<InventoryStore> {
  if (place === "file") return fileInventory(inventoryFile, name, { seenAt });
  const { shelvedInventory } = await import("./shelved.ts");
  if (place === "service") return shelvedInventory((await server()).shelf(name), name, { seenAt });
  const { postgresShelf } = await import("./postgres.ts");
  return shelvedInventory(postgresShelf(addressIn(env), name), name, { seenAt });
}

/** What a file says is what the stack owns: a store that knows nothing of it would plan to make everything again. */
async function refuseFiles(stack: Stack): Promise<void> {
  const own = stack.inventoryFile;
  const path = hasFile(stack) ? own : (await inventoriesOf(stack))[0];
  if (path === undefined) return;
  const { inventory, folder, name, seenAt } = stack;
  const why = inventory === undefined ? ", and its server keeps inventories" : "";
  const within = relative(folder, path);
  const named = within === `.svc/${name}.inventory.json` ? "file" : `{ file: ${within} }`;
  const from = path === own ? [] : ["--from", fileSeenAt(stack, path)];
  throw new Failure("refused", `the stack's inventory still lies in ${path}${why}`, {
    details: { path },
    remedy: `take it along: ${commandOn({ seenAt }, "move-inventory", ...from)}, or keep it there: write \`inventory: ${named}\` into the Stack`,
  });
}

/** A file of the stack as commands in messages name it: from the folder that they are told in. */
export function fileSeenAt({ folder, seenAt = "" }: Stack, path: string): string {
  return join(seenAt, relative(folder, path));
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
