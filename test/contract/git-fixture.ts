// Starts a service with an empty data model and an empty Git remote that it may connect to.
import { afterEach, beforeEach, expect } from "vitest";
import { createRemote, type TestRemote } from "../support/git-remotes.ts";
import {
  type Answer,
  build,
  type ModelService,
  orders,
  startModelService,
} from "./data-model-service.ts";

/** The file that most tests change. */
export const model = "model/cubes/orders.yml";

/** Calls on the service of the current test. */
export interface GitFixture {
  /** Sends a request that connects the deployment to the remote. */
  readonly connect: (more?: object) => Promise<Answer>;
  /** Returns the connection. */
  readonly status: () => Promise<Answer["body"]>;
  /** Connects to a remote with one model. */
  readonly connected: (files?: Readonly<Record<string, string>>) => Promise<void>;
  /** Changes the model of the deploy branch by a commit of a dev-mode branch. */
  readonly commitModel: (content: string, message?: string, path?: string) => Promise<Answer>;
  /** Creates a branch, which is pushed in the background, and waits until the remote has it. */
  readonly createPushed: (name: string) => Promise<void>;
}

/** Starts a service and creates a remote for each test, and passes both to `begin`. */
export function setUpGit(begin: (service: ModelService, remote: TestRemote) => void): GitFixture {
  let service: ModelService;
  let remote: TestRemote;
  beforeEach(async () => {
    service = await startModelService();
    remote = createRemote();
    begin(service, remote);
  });
  afterEach(() => service.close());
  const connect = (more: object = {}) =>
    service.send("POST", `${build}/git/connect`, { remoteUrl: remote.path, ...more });
  const status = () => service.done("GET", `${build}/git`);
  return {
    connect,
    status,
    connected: async (files = {}) => {
      remote.commit({ [model]: orders(), ...files }, "Begin");
      expect(await connect()).toMatchObject({ status: 200 });
    },
    commitModel: async (content, message = "Change", path = model) => {
      await service.enter();
      await service.put(content, path);
      return service.commit(message);
    },
    createPushed: async (name) => {
      await service.done("POST", `${build}/branches`, { name });
      const isThere = () => remote.git("branch", "--list", name) !== "";
      await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
      await expect.poll(status, { timeout: 60_000 }).toMatchObject({ status: "synced" });
    },
  };
}
