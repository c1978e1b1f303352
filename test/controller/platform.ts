// A stack with a pipeline of two stages for tests of a controller: dev takes the newest version, production an approved one.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../core/json.ts";
import type { PipelineOptions } from "../../promotion/options.ts";
import { promote } from "../../promotion/promote.ts";
import {
  deployedVersions,
  expectOk,
  olderVersion,
  setVersionListed,
} from "../promotion/fixture.ts";
import { makeStack } from "../support/test-stack.ts";
import { type ControllerFixture, openControllerFixture, startTime } from "./fixture.ts";

export interface Platform {
  readonly fixture: ControllerFixture;
  /** Absolute path of the stack. */
  readonly folder: string;
  /** The options of the verbs of `svc promote`. */
  readonly options: PipelineOptions;
  /** Replaces the pipeline, with other members of the stage dev, and approvers of production; undefined removes it. */
  writePipeline(dev: JsonObject | undefined, approvers?: JsonObject): void;
  /** Promotes what may be promoted. */
  promote(): Promise<void>;
  versions(): ReturnType<typeof deployedVersions>;
}

/** Opens a fixture whose deployments run the older version; close the fixture after the test. */
export async function makePlatform(inventory?: "service"): Promise<Platform> {
  const fixture = await openControllerFixture({ now: () => Date.parse("2025-11-20") });
  const { service, proxy, home } = fixture;
  await setVersionListed(service, { version: olderVersion, channel: "latest" }, true);
  const at = { url: proxy.url, key: service.adminKey, name: "platform" };
  const stack = await makeStack({ ...at, inventory, parentFolder: home });
  for (const version of [olderVersion, undefined]) {
    const release = { channel: "latest", ...(version && { version }) };
    await stack.write(
      ["dev", "prod"].map((name) => ({
        kind: "Deployment",
        name,
        spec: { name, region: "aws-us-east-1", release },
      })),
    );
    await stack.apply();
  }
  const options: PipelineOptions = {
    ...stack.options,
    pipeline: "platform",
    by: "ada",
    grants: {
      ...stack.options.grants,
      promotion: ["all"],
      checks: { origins: [service.url], commands: {} },
    },
    now: () => startTime,
  };
  const file = join(stack.folder, "pipeline.yaml");
  const writePipeline: Platform["writePipeline"] = (dev, approvers) => {
    if (dev === undefined) return rmSync(file);
    const stages = [
      {
        name: "dev",
        deployments: { names: ["dev"] },
        source: { channel: "latest" },
        promotion: "automatic",
        checks: [{ http: { url: `${service.url}/livez` } }],
        ...dev,
      },
      {
        name: "production",
        deployments: { names: ["prod"] },
        approvers: approvers ?? { users: ["anna@example.com"] },
      },
    ];
    const head = { apiVersion: "svc/v1", kind: "Pipeline", metadata: { name: "platform" } };
    writeFileSync(file, JSON.stringify({ ...head, spec: { stages } }));
  };
  writePipeline({ soak: "4h", every: "1h" });
  return {
    fixture,
    folder: stack.folder,
    options,
    writePipeline,
    promote: async () => {
      expectOk(await promote({ ...options, mode: "direct", approve: () => Promise.resolve(true) }));
    },
    versions: () => deployedVersions(service),
  };
}
