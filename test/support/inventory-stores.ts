// Every place where inventories can be kept, for the suite that all of them pass.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret } from "../../core/secret.ts";
import { limits } from "../../core/limits/limits.ts";
import { fileInventory } from "../../reconciler/inventory/file.ts";
import { postgresBackend } from "../../reconciler/inventory/postgres.ts";
import { stateServer } from "../../reconciler/inventory/service.ts";
import { inventoryStore } from "../../reconciler/inventory/inventory-store.ts";
import type { InventoryStore } from "../../reconciler/inventory/store.ts";

/** The location of inventories, in a form that another process can also open. */
export type StoreAddress =
  | { readonly in: "file"; readonly folder: string }
  | { readonly in: "postgres"; readonly url: string }
  | { readonly in: "service"; readonly url: string; readonly key: string };

/** Opens the inventory of a stack there. */
export async function openInventory(
  address: StoreAddress,
  stack: string,
  now?: () => number,
): Promise<InventoryStore> {
  if (address.in === "file") {
    const path = join(address.folder, `${stack}.inventory.json`);
    return fileInventory(path, stack, now && { now });
  }
  if (address.in === "postgres") {
    return inventoryStore(postgresBackend(new Secret(address.url), stack), stack);
  }
  const server = stateServer({ url: address.url, credential: new Secret(address.key) });
  const store = inventoryStore(server.backend(stack), stack);
  return { ...store, close: async () => server[Symbol.asyncDispose]() };
}

/** A store of inventories in a test. */
export interface TestInventories {
  readonly address: StoreAddress;
  open(stack: string): Promise<InventoryStore>;
  /** Expires the leases of all locks. */
  expireLeases(): Promise<void>;
  /** Replaces a stack's inventory by a text. */
  replaceText(stack: string, text: string): Promise<void>;
  /** Deletes all inventories. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** Creates a store of inventories in files. */
export async function fileInventories(): Promise<TestInventories> {
  const folder = mkdtempSync(join(tmpdir(), "svc-inventories-"));
  let late = 0;
  const address: StoreAddress = { in: "file", folder };
  return {
    address,
    open: (stack) => openInventory(address, stack, () => Date.now() + late),
    expireLeases: async () => void (late += 2 * limits.leaseMs),
    replaceText: async (stack, text) =>
      writeFileSync(join(folder, `${stack}.inventory.json`), text),
    clear: async () => {
      for (const name of readdirSync(folder)) rmSync(join(folder, name));
    },
    dispose: async () => rmSync(folder, { recursive: true }),
  };
}

/** Creates a store of inventories at the service. */
export async function serviceInventories(): Promise<TestInventories> {
  const { startService } = await import("./test-service.ts");
  let late = 0;
  const service = await startService({ now: () => Date.now() + late });
  const address: StoreAddress = { in: "service", url: service.url, key: service.adminKey };
  return {
    address,
    open: (stack) => openInventory(address, stack),
    expireLeases: async () => void (late += 2 * limits.leaseMs),
    replaceText: async (stack, raw) => {
      const answer = await service.send("POST", `/api/v1/state/svc-inventory.${stack}`, { raw });
      if (answer.status !== 200) throw new Error(answer.text);
    },
    clear: async () => {
      for (const table of ["state_journal", "state_versions", "states"] as const) {
        await service.db.deleteFrom(table).execute();
      }
    },
    dispose: () => service.close(),
  };
}

/** Creates a store of inventories in a separate PostgreSQL database. */
export async function postgresInventories(): Promise<TestInventories> {
  const { createTestDatabase: freshPlace } = await import("./test-database.ts");
  const { runSql: ask } = await import("./postgres-server.ts");
  const place = await freshPlace();
  const address: StoreAddress = { in: "postgres", url: place.data };
  const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  return {
    address,
    open: (stack) => openInventory(address, stack),
    expireLeases: async () => {
      await ask(place.data, "update svc_inventories set lock_until = now() - interval '1 second'");
    },
    replaceText: async (stack, text) => {
      const change = `update svc_inventories set content = ${quoted(text)} where stack = ${quoted(stack)}`;
      await ask(place.data, change);
    },
    clear: async () => {
      await ask(place.data, "drop table if exists svc_inventory_journal, svc_inventories");
    },
    dispose: () => place.drop(),
  };
}
