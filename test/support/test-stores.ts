// Provides the stores that a service can use, each with a way to start one that leaves no files behind.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerOptions } from "../../service/server/server.ts";
import { startService, type TestService } from "./test-service.ts";

/** A store, and a function that starts a service on an empty one. */
export interface TestStore {
  readonly name: string;
  readonly start: (options?: Partial<ServerOptions>) => Promise<TestService>;
}

/** A store in memory, where reads and writes alternate. */
export const memoryStore: TestStore = { name: "memory", start: startService };

/** A store in a file, where one connection writes and another one reads committed data. */
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
