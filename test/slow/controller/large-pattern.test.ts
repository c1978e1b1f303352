// Tests that one entry of a configuration is enough for 300 stacks, of which one is broken.
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runController } from "../../../controller/controller.ts";
import { readControllerConfig } from "../../../controller/read-config.ts";
import { kinds } from "../../../resources/index.ts";
import {
  type ControllerFixture,
  groupDocument,
  openControllerFixture,
} from "../../controller/fixture.ts";

let fixture: ControllerFixture;
beforeEach(async () => {
  fixture = await openControllerFixture();
});
afterEach(() => fixture.close());

it(
  "reconciles 300 stacks with what the defaults say; a broken one stops no other",
  { timeout: 600_000 },
  async () => {
    const names = Array.from({ length: 300 }, (_, index) => `tenant-${index}`);
    const broken = "tenant-150";
    for (const name of names) {
      const document = groupDocument(`${name}-users`, "${note}");
      const wrong = { ...document, spec: { nam: name } };
      fixture.stack(`repository/stacks/${name}`, [name === broken ? wrong : document], {}, name);
    }
    const repository = join(fixture.home, "repository");
    fixture.git(repository, "init", "--quiet", "--initial-branch=main");
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "-m", "begin");
    const apiKey = { file: fixture.write("key", fixture.env["SVC_API_KEY"] ?? "") };
    const url = fixture.env["SVC_API_URL"];
    delete fixture.env["SVC_API_KEY"];
    delete fixture.env["SVC_API_URL"];
    const file = fixture.write(
      "controller.yaml",
      JSON.stringify({
        state: "state",
        defaults: { mode: "plan", variables: { note: "of all" }, server: { url, apiKey } },
        sources: [{ name: "all", git: { url: repository, path: "stacks/*" } }],
      }),
    );
    const events = await runController({
      config: readControllerConfig(file),
      kinds,
      env: fixture.env,
      once: true,
    });
    const results = Map.groupBy(events, ({ result }) => result);
    expect(results.get("invalid")?.map(({ source }) => source)).toEqual([`all-${broken}`]);
    const planned = results.get("changes") ?? [];
    expect(planned.map(({ source }) => source).toSorted()).toEqual(
      names.flatMap((name) => (name === broken ? [] : `all-${name}`)).toSorted(),
    );
    expect(new Set(planned.map(({ mode }) => mode))).toEqual(new Set(["plan"]));
    expect(events).toHaveLength(301);
  },
);
