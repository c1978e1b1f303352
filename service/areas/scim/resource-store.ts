// The interface through which lists read resources of either type.
import type { JsonObject } from "../../../core/json.ts";
import type { Db } from "../../store/schema.ts";
import type { ResourceType } from "../../scim/attributes.ts";

/** A condition that an index answers. It holds for every resource that a filter matches, and may hold for more. */
export interface Narrowing {
  readonly by: "id" | "name" | "externalId" | "email" | "member";
  readonly value: string;
}

/** The rows to read, by ascending ID. */
export interface ReadWindow {
  readonly narrowing?: Narrowing | undefined;
  /** Only resources with these IDs. */
  readonly ids?: readonly number[];
  /** Only resources with a larger ID. */
  readonly after?: number;
  readonly offset?: number;
  readonly count: number;
}

/** A resource with its numeric ID. */
export interface StoredResource {
  readonly id: number;
  readonly resource: JsonObject;
  /** True if the costly attribute is known to be empty. */
  readonly isComplete?: boolean;
}

/** Options for reading the costly attribute. */
export interface AttachOptions {
  readonly base: string;
  readonly whole: boolean;
  /** Only the elements with these IDs. */
  readonly only?: readonly number[] | undefined;
}

/** Reads the resources of one type. */
export interface ResourceStore {
  readonly type: ResourceType;
  /** The attribute that needs separate queries; `attach` adds it. */
  readonly costly: string;
  /** The attribute that `name` of a {@link Narrowing} stands for. */
  readonly nameAttribute: string;
  read(db: Db, base: string, window: ReadWindow): Promise<readonly StoredResource[]>;
  count(db: Db): Promise<number>;
  /**
   * Returns the resources with their costly attribute: a prefix of the list that fits one response, and at least one. Throws
   * `tooMany` instead of a prefix if `whole` is set.
   */
  attach(
    db: Db,
    found: readonly StoredResource[],
    options: AttachOptions,
  ): Promise<readonly StoredResource[]>;
}
