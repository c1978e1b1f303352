// Tests secrets that a repository has encrypted beside a base of several environments: each source decrypts them from its own
// checkout, and nothing outside of what it is granted.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithPrograms, makeKey, programsPath, writeAge } from "../support/age-and-sops.ts";
import { documentText } from "../support/test-stack.ts";
import { type ControllerFixture, openControllerFixture } from "./fixture.ts";

const stages = ["staging", "production"];

describeWithPrograms("secrets beside a shared base", ["age", "age-keygen"], () => {
  let fixture: ControllerFixture;
  let key: { readonly file: string; readonly recipient: string };
  beforeEach(async () => {
    fixture = await openControllerFixture();
    fixture.env["PATH"] = programsPath();
    mkdirSync(join(fixture.home, "keys"));
    key = makeKey(join(fixture.home, "keys"), "identity");
    for (const name of stages) {
      const head = { apiVersion: "svc/v1", kind: "Stack", metadata: { name } };
      const manifests = ["*.yaml", "../../base/*.yaml"];
      const spec = { inventory: "file", variables: { stage: name }, manifests };
      fixture.write(`repository/stages/${name}/stack.yaml`, JSON.stringify({ ...head, spec }));
    }
    base("../../base/secrets/${stage}.age");
    for (const name of stages) writeSecret(`repository/base/secrets/${name}.age`, `hush ${name}`);
    fixture.git(join(fixture.home, "repository"), "init", "--quiet", "--initial-branch=main");
    commit();
  });
  afterEach(() => fixture.close());

  const writeSecret = (name: string, text: string) =>
    writeAge(join(fixture.home, name), key.recipient, text);

  /** Writes the base, whose variable has the value of an encrypted file. The name of the variable is one whose value is shown. */
  function base(file: string): void {
    const value = { valueFrom: { age: { file, identity: key.file } } };
    const documents = [
      { kind: "Deployment", name: "site", spec: { name: "${stage}", region: "aws-us-east-1" } },
      {
        kind: "EnvironmentVariable",
        name: "stage",
        spec: { deployment: "site", name: "STAGE", value },
      },
    ];
    const text = documents.map((one) => documentText(one)).join("\n---\n");
    fixture.write("repository/base/site.yaml", text);
  }

  function commit(): void {
    const repository = join(fixture.home, "repository");
    fixture.git(repository, "add", "--all");
    fixture.git(repository, "commit", "--quiet", "-m", "next");
  }

  const sources = (granted: (name: string) => string) =>
    stages.map((name) => ({
      name,
      git: { url: join(fixture.home, "repository"), path: `stages/${name}` },
      grants: { age: [{ identity: key.file, files: [granted(name)] }] },
    }));
  const ownCheckouts = (name: string): string =>
    join(fixture.home, `state/sources/${name}/checkouts/`);

  /** Returns the variables of the deployment of each stage, as JSON. */
  async function values(): Promise<readonly string[]> {
    const listed = await fixture.service.send("GET", "/api/v1/deployments?first=100");
    const { items } = listed.body as { items: readonly { id: number; name: string }[] };
    return Promise.all(
      stages.map(async (name) => {
        const id = items.find((one) => one.name === name)?.id;
        const { body } = await fixture.service.send("GET", `/api/v1/deployments/${id}/env-vars`);
        return JSON.stringify(body);
      }),
    );
  }

  it("are decrypted from the checkout of each source, and are in no event", async () => {
    const events = await fixture.reconcileOnce(sources(ownCheckouts));
    expect(events).toMatchObject([{ result: "applied" }, { result: "applied" }]);
    const found = await values();
    for (const [index, name] of stages.entries()) expect(found[index]).toContain(`hush ${name}`);
    expect(JSON.stringify(events)).not.toContain("hush");
  });

  it.each([
    ["outside of the repository", "../../../../../../../elsewhere/key.age", /is not granted$/u],
    ["in a folder that the manifests do not name", "../../other/key.age", /does not exist$/u],
  ])("are refused %s", async (_, file, reason) => {
    writeSecret("elsewhere/key.age", "hush elsewhere");
    writeSecret("repository/other/key.age", "hush other");
    base(file);
    commit();
    const events = await fixture.reconcileOnce(sources(ownCheckouts));
    expect(events.map(({ result }) => result)).toEqual(["invalid", "invalid"]);
    for (const { diagnostics } of events)
      expect(diagnostics).toMatchObject([{ summary: expect.stringMatching(reason) }]);
  });

  it("are refused from the checkout of another source", async () => {
    const events = await fixture.reconcileOnce(sources(() => ownCheckouts("staging")));
    const results = Object.fromEntries(events.map(({ source, result }) => [source, result]));
    expect(results).toEqual({ staging: "applied", production: "invalid" });
  });
});
