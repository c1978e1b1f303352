// The titles and types of members of the data model, which controls show. They are read once, when a control needs them.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isObject } from "../../../core/json.ts";
import type { Store } from "./store.ts";
import { listOf, textOf } from "./widgets.ts";

/** A member of a cube or a view. */
export interface Member {
  readonly name: string;
  readonly title: string;
  readonly type: string;
}

/** Members by name; empty until they are read, and for a viewer who may not see them. */
export type Members = ReadonlyMap<string, Member>;

const members = signal<Members>(new Map());
const readFor = new WeakSet<Store>();

/** Returns the members of the data model that the viewer sees. */
export function useMembers(store: Store): Members {
  useEffect(() => {
    if (readFor.has(store)) return;
    readFor.add(store);
    void readMembers(store).then(
      (found) => {
        members.value = found;
      },
      // Controls then show names.
      () => undefined,
    );
  }, [store]);
  return members.value;
}

async function readMembers({ api, dataPath }: Store): Promise<Members> {
  const answer = await api.send(`${dataPath}/meta`);
  const cubes = isObject(answer) ? listOf(answer["cubes"]) : [];
  return new Map(
    cubes.flatMap((cube) =>
      isObject(cube)
        ? ["dimensions", "measures"].flatMap((group) =>
            listOf(cube[group]).flatMap((one) => {
              if (!isObject(one)) return [];
              const name = textOf(one["name"]);
              const title = textOf(one["shortTitle"]) || textOf(one["title"]) || name;
              return [[name, { name, title, type: textOf(one["type"]) }] as const];
            }),
          )
        : [],
    ),
  );
}

/** Returns the title of a member, or its name. */
export function titleOf(found: Members, name: string): string {
  return found.get(name)?.title ?? name.slice(name.indexOf(".") + 1);
}
