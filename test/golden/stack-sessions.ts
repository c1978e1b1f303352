// Creates stacks of user groups in folders of their own and runs the command line on them against one real service.
import { afterAll, beforeAll } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import {
  type CommandOptions,
  type CommandResult,
  makeFolder,
  runSvc,
  type TestFolder,
} from "./run-cli.ts";

/** Every step is a separate process, and test machines are busy. */
export const slowTest = { timeout: 60_000 };

/** A user group as the API returns it. */
interface Group {
  readonly id: number;
  readonly name: string;
  readonly description?: string | null;
}

/** Returns the text of the Stack document of a stack. */
export function stackText(name: string, policy: string): string {
  return `apiVersion: svc/v1\nkind: Stack\nmetadata: { name: ${name} }\nspec: { policy: { ${policy} } }\n`;
}

/** Returns the documents of groups of these names; each has the name of the stack as a prefix. */
export function groups(stack: string, names: readonly string[]): string {
  return names
    .map((name) =>
      [
        "apiVersion: svc/v1",
        "kind: UserGroup",
        `metadata: { name: ${name} }`,
        `spec: { name: ${stack}-${name}, description: declared }`,
        "",
      ].join("\n"),
    )
    .join("---\n");
}

/** A service for the tests of a file, and the stacks that they create. */
export interface StackSessions {
  readonly service: () => TestService;
  /** Returns the environment of commands: the address of the service, and an administrator's key. */
  readonly env: () => Record<string, string>;
  /** Makes a folder that is removed after the tests. */
  readonly makeOtherFolder: typeof makeFolder;
  /** Creates a separate stack with groups of these names. */
  readonly makeStackFolder: (
    names: readonly string[],
    policy?: string,
  ) => TestFolder & { readonly name: string };
  readonly run: (
    args: readonly string[],
    folder: TestFolder,
    how?: CommandOptions,
  ) => Promise<CommandResult>;
  /** Reads the groups of a stack. */
  readonly liveGroups: (stack: string) => Promise<readonly Group[]>;
}

let stacks = 0;

/** Starts a service for the tests of a file, and removes it and the folders after them. */
export function useStackSessions(): StackSessions {
  let started: TestService | undefined;
  const folders: TestFolder[] = [];
  beforeAll(async () => {
    started = await startService();
  });
  afterAll(async () => {
    for (const folder of folders) folder.remove();
    await started?.close();
  });
  const service = (): TestService => {
    if (started === undefined) throw new Error("the service runs in tests only");
    return started;
  };
  const env = () => ({ SVC_API_URL: service().url, SVC_API_KEY: service().adminKey });
  const makeOtherFolder: typeof makeFolder = (files) => {
    const folder = makeFolder(files);
    folders.push(folder);
    return folder;
  };
  return {
    service,
    env,
    makeOtherFolder,
    makeStackFolder: (names, policy = "prune: true") => {
      const name = `stack-${++stacks}`;
      const files = { "stack.yaml": stackText(name, policy), "groups.yaml": groups(name, names) };
      return { ...makeOtherFolder(files), name };
    },
    run: (args, folder, how) => runSvc(args, { cwd: folder.path, env: env(), ...how }),
    liveGroups: async (stack) => {
      const { body } = await service().send("GET", "/api/v1/user-groups?first=1000");
      const { items } = body as { items: readonly Group[] };
      return items.filter(({ name }) => name.startsWith(`${stack}-`));
    },
  };
}
