// Provides the stores that a service can use, each with a way to start one that leaves no files behind.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerOptions } from "../../service/server/server.ts";
import { startService, type TestService } from "./test-service.ts";

/** A store, and how to start a service on an empty one. */
export interface TestStore {
  readonly name: string;
  readonly start: (options?: Partial<ServerOptions>) => Promise<TestService>;
}

/** In memory, where reading takes turns with writing. */
export const memoryStore: TestStore = { name: "memory", start: startService };

/** In a file, where one connection writes and another reads what is committed. */
export const fileStore: TestStore = {
  name: "a file",
  start: async (options = {}) => {
    const data = mkdtempSync(join(tmpdir(), "svc-store-"));
    const remove = (): void => rmSync(data, { recursive: true, force: true });
    try {
      const service = await startService({ ...options, data });
      return { ...service, close: () => service.close().finally(remove) };
    } catch (error) {
      remove();
      throw error;
    }
  },
};
