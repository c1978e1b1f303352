// Runs command lines against one real service, one after the other, as a user types them.
import { afterAll, beforeAll, expect } from "vitest";
import { startService, type TestService } from "../support/test-service.ts";
import { type CommandResult, makeFolder, runSvc, type TestFolder } from "./run-cli.ts";

/** Each session is up to twenty commands, some of which wait for builds. */
export const slowTest = { timeout: 120_000 };

/** The input of a command in addition to its arguments. */
export interface CommandInput {
  readonly input?: string;
  readonly key?: string;
  /** Whether the command shows its progress on standard error. */
  readonly progress?: true;
}

/** A service and a folder for the tests of a file, and commands in it. */
export interface CommandSessions {
  readonly service: () => TestService;
  readonly folder: () => TestFolder;
  /** Runs a command line without quotes, as in a shell. */
  readonly svc: (line: string, given?: CommandInput) => Promise<CommandResult>;
  /** Runs a command that succeeds, and returns what it prints. */
  readonly done: (line: string, given?: CommandInput) => Promise<string>;
  readonly json: (line: string, given?: CommandInput) => Promise<Record<string, unknown>>;
  /** Runs a command that fails, and returns its exit code and the error. */
  readonly failed: (
    line: string,
    given?: CommandInput,
  ) => Promise<readonly [number | null, string]>;
}

/** Starts a service for the tests of a file, and removes it after them. */
export function useCommandSessions(): CommandSessions {
  let started: readonly [TestService, TestFolder] | undefined;
  beforeAll(async () => {
    started = [await startService(), makeFolder({})];
  });
  afterAll(async () => {
    started?.[1].remove();
    await started?.[0].close();
  });
  const inTests = (): readonly [TestService, TestFolder] => {
    if (started === undefined) throw new Error("the service runs in tests only");
    return started;
  };
  const svc: CommandSessions["svc"] = (line, { input = "", key } = {}) => {
    const [{ url, adminKey }, { path }] = inTests();
    const env = { SVC_API_URL: url, SVC_API_KEY: key ?? adminKey };
    return runSvc(line.split(" "), { cwd: path, env, input });
  };
  const done: CommandSessions["done"] = async (line, given = {}) => {
    const { code, out, err } = await svc(line, given);
    if (given.progress === true) expect(err).toMatch(/^main: |^build \d+: /mu);
    expect({ line, code, err: code === 0 ? "" : err }).toEqual({ line, code: 0, err: "" });
    return out;
  };
  return {
    service: () => inTests()[0],
    folder: () => inTests()[1],
    svc,
    done,
    json: async (line, given) =>
      JSON.parse(await done(`${line} --json`, given)) as Record<string, unknown>,
    failed: async (line, given) => {
      const { code, out, err } = await svc(line, given);
      expect([line, out]).toEqual([line, ""]);
      return [code, err];
    },
  };
}
