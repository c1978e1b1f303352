// Registers at the service the changes of a run in the ownership of its stack.
import { isFailure } from "../../core/errors.ts";
import { listEntries } from "../model/inventory-entries.ts";
import type { Inventory } from "../model/index.ts";
import type { ClaimsRegister } from "./claims-register.ts";
import { inventoryIdOf } from "./format.ts";
import type { OtherStacks, OwnerIndex } from "./other-inventories.ts";
import type { RequireHeld } from "./ownership-lock.ts";
import type { JournalRecord, OwnedObject } from "./store.ts";

/** The ownership at a server that stores inventories. Calls fail with `forbidden` if the key may not use its states. */
export interface ServiceOwnership {
  /** The address of the server. */
  readonly origin: string;
  /** Returns the index of the objects that stacks elsewhere own. */
  readonly owners: (own: OtherStacks) => Promise<OwnerIndex>;
  /** Runs `act` while no other stack of the server can claim objects. */
  readonly withOwners: <T>(
    own: OtherStacks,
    act: (ownerOf: OwnerIndex, requireHeld: RequireHeld) => Promise<T>,
  ) => Promise<T>;
  /** Returns the register of the inventory with this ID. */
  readonly register: (id: string) => ClaimsRegister;
  /** Deletes the registers of lost inventories: all registers of this stack name, except the one with this ID. */
  readonly releaseLost: (stack: string, id: string) => Promise<void>;
}

/** Opens the ownership at the server; undefined if it stores no inventories. */
export type OpenServiceOwnership = () => Promise<ServiceOwnership | undefined>;

/** A stack whose inventory is locked. */
export interface LockedStack {
  readonly stack: string;
  /** The inventory when its lock was acquired. */
  readonly locked: Inventory;
  readonly open: OpenServiceOwnership;
}

/** The register of a locked inventory, as the run knows it. */
export interface Registration {
  /** Registers the objects of these records that are not registered yet. */
  readonly add: (records: readonly JournalRecord[]) => Promise<void>;
  /** Takes back the claims that another stack of the store refused. */
  readonly drop: (records: readonly JournalRecord[]) => Promise<void>;
  /** Registers exactly the objects that the inventory owns. */
  readonly settle: (inventory: Inventory) => Promise<void>;
}

/** True for an inventory that owns nothing and was never written. */
export function isNew({ serial, entries }: Inventory): boolean {
  return serial === 0 && Object.keys(entries).length === 0;
}

/** Returns the registration of a locked inventory. Its calls run one after the other. */
export function registrationOf({ stack, locked, open }: LockedStack): Registration {
  const registered = registeredObjects({ stack, locked, open });
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    add: (records) => inTurn(() => registered.add(objectsIn(records))),
    drop: (records) =>
      inTurn(() => {
        const dropped = objectsIn(records);
        return registered.replace((known) => [...known].filter(([key]) => !dropped.has(key)));
      }),
    settle: (inventory) =>
      inTurn(async () => {
        try {
          await registered.replace(() => [...ownedBy(inventory)]);
        } catch (error) {
          // The inventory is written. Remaining claims refuse too many objects, never too few, until the next run
          // removes them.
          if (!isFailure(error)) throw error;
        }
      }),
  };
}

/** Objects by kind and natural key. */
type Objects = Map<string, OwnedObject>;

/** The objects in the register. Both calls do nothing if the server stores no states, or forbids them. */
function registeredObjects({ stack, locked, open }: LockedStack) {
  const id = inventoryIdOf(locked);
  let register: ClaimsRegister | undefined;
  let isUnusable = false;
  /** The content of the register; undefined until this run wrote it. */
  let written: Objects | undefined;
  const withRegister = async (
    act: (register: ClaimsRegister, service: ServiceOwnership) => Promise<void>,
  ): Promise<void> => {
    if (isUnusable) return;
    const done = await permitted(async () => {
      const service = await open();
      if (service !== undefined) await act((register ??= service.register(id)), service);
      return service;
    });
    isUnusable = done === undefined;
  };
  const write = async (
    to: ClaimsRegister,
    service: ServiceOwnership,
    objects: Objects,
  ): Promise<void> => {
    if (isNew(locked) && written === undefined) await service.releaseLost(stack, id);
    await to.replace({ stack, objects: [...objects.values()] });
    written = objects;
  };
  return {
    add: async (objects: Objects): Promise<void> => {
      const missing = [...objects].filter(([key]) => written?.has(key) !== true);
      if (missing.length === 0) return;
      await withRegister(async (to, service) => {
        // Another run with a copy of the inventory may have written the register.
        if (written !== undefined && (await isAppended(to, missing)))
          for (const [key, object] of missing) written.set(key, object);
        else await write(to, service, new Map([...(written ?? ownedBy(locked)), ...missing]));
      });
    },
    replace: (next: (known: Objects) => readonly [string, OwnedObject][]): Promise<void> =>
      withRegister(async (to, service) => {
        // Another run with a copy of the inventory may have written the register since.
        const known = objectsOf((await to.load()) ?? []);
        const objects = new Map(next(known));
        const isSame =
          known.size === objects.size &&
          [...objects].every(([key, one]) => known.has(key) && known.get(key)?.id === one.id);
        if (!isSame) await write(to, service, objects);
      }),
  };
}

async function isAppended(
  register: ClaimsRegister,
  objects: readonly (readonly [string, OwnedObject])[],
): Promise<boolean> {
  try {
    await register.add(objects.map(([, object]) => object));
    return true;
  } catch (error) {
    if (isFailure(error, "conflict")) return false;
    throw error;
  }
}

function objectsIn(records: readonly JournalRecord[]): Objects {
  return objectsOf(records.flatMap((record) => ("entry" in record ? (record.entry ?? []) : [])));
}

function ownedBy({ entries }: Inventory): Objects {
  return objectsOf(listEntries(entries).map(([, entry]) => entry));
}

function objectsOf(objects: readonly OwnedObject[]): Objects {
  return new Map(
    objects.map(({ kind, key, id }) => [JSON.stringify([kind, key]), { kind, key, id }]),
  );
}

/** Returns undefined without the permission for states. Such a key sees only the owners in its own store. */
export async function permitted<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (isFailure(error, "forbidden")) return undefined;
    throw error;
  }
}
