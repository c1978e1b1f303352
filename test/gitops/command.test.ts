// `svc controller` as a program: what it prints, how it ends, how it is stopped, and the example of the documentation.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { start, svc } from "../golden/cli-run.ts";
import { type GitopsScene, group, openScene } from "./scene.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = "stacks/northwind";

/** Processes on machines that are busy. */
const patience = { timeout: 60_000 };

let scene: GitopsScene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

function schema(name: string): (value: unknown) => boolean {
  const text = readFileSync(join(root, "schemas", name), "utf8");
  return new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(text) as object);
}

function lines(out: string): Readonly<Record<string, unknown>>[] {
  const events = out.trim().split("\n");
  return events.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("svc controller", patience, () => {
  it("ends as plan and apply do, approves what waits, and tells events by their schema", async () => {
    const run = async (more: object = {}) => {
      const args = ["controller", "--config", scene.config([{ folder, ...more }]), "--once"];
      return svc(args, { env: scene.env });
    };
    scene.stack(folder, [group("north"), group("south")]);
    const planned = await run({ mode: "plan" });
    expect([planned.code, planned.err]).toEqual([2, ""]);
    expect((await run()).code).toBe(0);
    scene.stack(folder, [group("north")]);
    const held = await run();
    expect(held.code).toBe(5);
    const { failure } = lines(held.out)[1] as { failure: { remedy: string } };
    const command = / svc (.*)$/u.exec(failure.remedy)?.[1]?.split(" ") ?? [];
    const approved = await svc([...command, "--reason", "they left"], { env: scene.env });
    expect([approved.code, approved.out]).toEqual([
      0,
      "Approved for northwind: delete UserGroup/south.\n",
    ]);
    const applied = await run();
    expect(applied.code).toBe(0);
    expect(await scene.groups()).toEqual(["north"]);
    scene.write(`${folder}/documents.yaml`, "kind: UserGruop\n");
    const wrong = await run();
    expect(wrong.code).toBe(1);
    const valid = schema("controller-event.json");
    const told = [planned, held, applied, wrong].flatMap(({ out }) => lines(out));
    expect(told.filter((event) => !valid(event))).toEqual([]);
    expect(told.filter(({ event }) => event === "round")).toHaveLength(4);
  });

  it("runs until it is told to stop, and then ends well", async () => {
    scene.stack(folder, [group("north")]);
    const args = ["controller", "--config", scene.config([{ folder }])];
    const { child, ended } = start(args, { env: scene.env });
    const applied = new Promise<void>((resolve) => {
      child.stdout?.on("data", (text: Buffer) => {
        if (text.toString().includes('"applied"')) resolve();
      });
    });
    await Promise.race([applied, ended]);
    child.kill("SIGTERM");
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(lines(out).map(({ event }) => event)).toEqual(["started", "round", "stopped"]);
  });

  it("tells wrong usage and a wrong configuration", async () => {
    const none = await svc(["controller"], { env: scene.env });
    expect([none.code, none.out]).toEqual([64, ""]);
    const file = scene.write("controller.yaml", "state: s\nsuorces: []\n");
    const wrong = await svc(["controller", "--config", file], { env: scene.env });
    expect(wrong.code).toBe(64);
    expect(wrong.err).toContain(
      '2:1: the document has no field "suorces" (Did you mean "sources"?',
    );
  });
});

describe("examples/controller", patience, () => {
  it("passes its schema, and looks after the example stack as it stands", async () => {
    for (const name of ["controller", "quickstart"]) {
      cpSync(join(root, "examples", name), join(scene.home, name), { recursive: true });
    }
    const file = join(scene.home, "controller/controller.yaml");
    expect(schema("controller.json")(parse(readFileSync(file, "utf8")))).toBe(true);
    const { code, out } = await svc(["controller", "--config", file, "--once"], { env: scene.env });
    expect(lines(out)).toMatchObject([
      { event: "started" },
      { result: "applied", source: "harbour" },
      { event: "stopped" },
    ]);
    expect(code).toBe(0);
  });
});
