// Tests the example of the README: it matches the published schema, and `npm start` runs to its end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { traitKeywords } from "../../core/schema/traits.ts";
import { sampled } from "../support/sampling.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "examples", "quickstart");

/** A server and a process with twelve commands, on machines that are busy. */
const slowTest = { timeout: 180_000 };

describe("examples/quickstart", () => {
  it("passes schemas/manifest.json, document by document", async () => {
    const schema = JSON.parse(
      await readFile(join(root, "schemas", "manifest.json"), "utf8"),
    ) as object;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addVocabulary([...traitKeywords]);
    const validate = ajv.compile(schema);
    const files = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      for (const document of parseAllDocuments(await readFile(join(folder, file), "utf8"))) {
        const valid = validate(document.toJS());
        expect({ file, errors: valid ? [] : validate.errors }).toEqual({ file, errors: [] });
      }
    }
  });

  it(
    "is served, planned, applied, drifted and repaired by npm start -- --once",
    slowTest,
    async () => {
      const child = spawn(process.execPath, [join(root, "scripts", "start.ts"), "--once"], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "exit"),
      ]);
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      expect(out).toContain("changed on the server");
      const [shown = ""] =
        /(?<=\$ npm start -- --once\n).*?(?=```)/su.exec(
          await readFile(join(root, "README.md"), "utf8"),
        ) ?? [];
      const printed = out.split("\n").map(stableLine);
      const lines = shown.split("\n").filter((line) => line !== "" && line !== "…");
      expect(lines.length).toBeGreaterThan(20);
      expect(lines.filter((line) => !printed.includes(stableLine(line)))).toEqual([]);
    },
  );
});

describe("npm start that is interrupted", slowTest, () => {
  it.each(
    sampled([
      ["SIGTERM", "\nCreate the objects.", "SIGTERM", 143],
      ["a closed pipe", "Start the service", undefined, 0],
      ["SIGHUP", "\nShow what apply", "SIGHUP", 129],
    ] as const),
  )("stops the server and removes its folder on %s", async (_, after, signal, expected) => {
    const temporary = await mkdtemp(join(tmpdir(), "svc-start-test-"));
    try {
      const child = spawn(process.execPath, [join(root, "scripts", "start.ts")], {
        env: { ...process.env, TMPDIR: temporary },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => {
        const isBefore = !out.includes(after);
        out += chunk.toString();
        if (!isBefore || !out.includes(after)) return;
        if (signal === undefined) child.stdout.destroy();
        else child.kill(signal);
      });
      // The server and the commands inherit the stream, so it ends when the last of them has exited.
      const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
      expect(code, err).toBe(expected);
      expect(await readdir(temporary)).toEqual([]);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
});

it("npm start reports an unknown option in one line", async () => {
  const child = spawn(process.execPath, [join(root, "scripts", "start.ts"), "--versions", "a"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [err, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect({ code, err }).toEqual({
    code: 64,
    err: "error: Unknown option '--versions'; npm start takes only --once, svc serve the rest\n",
  });
});

/** Replaces the address and the folder, which differ from run to run. */
function stableLine(line: string): string {
  return line
    .replace(/http:\/\/127\.0\.0\.1:\d+/gu, "http://server")
    .replace(/(?:…|\/\S*)\/(data|ready\.json)/gu, "…/$1");
}
