// Tests the command line without a server: help, explanations, wrong usage, and errors in manifests.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, describe, expect, it } from "vitest";
import { operations } from "../../api/index.ts";
import { wholeProgram } from "../../cli/program.ts";
import { examplesOf } from "../../cli/shared/help/examples.ts";
import { makeFolder, runSvc } from "./run-cli.ts";

/** A command written by hand, a group with a default, and a command derived from an operation. The pages of the reference have all. */
const commands = ["apply", "plugin install", "data-model put"];

/** Every step is a separate process, and test machines are busy. */
const slowTest = { timeout: 60_000 };

function goldenFile(name: string): string {
  return join(import.meta.dirname, `${name}.golden`);
}

/** Returns the packages, the files of folders, and the folders of `cli` that a command loads. */
async function loadedModules(args: readonly string[]): Promise<readonly string[]> {
  const hook =
    'import { registerHooks } from "node:module"; registerHooks({ load: (url, context, next) => (process.stderr.write(`${url}\\n`), next(url, context)) });';
  const node = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`];
  const { code, err } = await runSvc(args, { node });
  expect(code).toBe(0);
  const urls = err.split("\n").filter((url) => url.startsWith("file:"));
  const names = urls.map(
    (url) =>
      /\/node_modules\/([^/]+)\//u.exec(url)?.[1] ??
      /\/(cli\/(?:shared|areas|operations)|core\/.+|[a-z]+\/[a-z-]+\.ts)(?:\/.+)?$/u.exec(
        url,
      )?.[1] ??
      url,
  );
  return [...new Set(names)].toSorted();
}

/** Returns the lines of the whole help of a command. */
function helpOf(command: Command): readonly string[] {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text.split("\n");
}

/** Returns the words of a command line up to a pipe or a redirection. Quoted words keep their spaces. */
function shellWords(line: string): readonly string[] {
  const [command = ""] = line.split(/ [|>] /u);
  return [...command.matchAll(/'([^']*)'|\S+/gu)].map(([word, quoted]) => quoted ?? word);
}

describe("help", slowTest, () => {
  it("lists the commands", async () => {
    const { code, out, err } = await runSvc(["--help"]);
    expect([code, err]).toEqual([0, ""]);
    await expect(out).toMatchFileSnapshot(goldenFile("cli-help"));
  });

  it("shows arguments, options by group, and examples", async () => {
    const all = [];
    for (const command of commands) {
      all.push(await runSvc([...command.split(" "), "--help"]));
    }
    expect(all.map(({ code, err }) => [code, err])).toEqual(commands.map(() => [0, ""]));
    const out = all.map((one, index) => `$ svc ${commands[index]} --help\n${one.out}`).join("\n");
    await expect(out).toMatchFileSnapshot(goldenFile("cli-help-commands"));
  });

  it("has lines of 80 columns and examples that parse, for every command", async () => {
    const program = await wholeProgram("0.1.0");
    const problems: string[] = [];
    const visit = async (command: Command, path: string): Promise<void> => {
      for (const inner of command.commands) await visit(inner, `${path} ${inner.name()}`);
      if (command.commands.length > 0) return;
      const examples = Object.values(examplesOf(command));
      if (examples.length === 0) problems.push(`${path}: no examples`);
      // Usage lines and words are not broken.
      const long = helpOf(command).filter(
        (line) => line.length > 80 && !/^Usage|^\S*$/u.test(line),
      );
      problems.push(...long.map((line) => `${path}: too long: ${line}`));
      for (const line of examples) {
        let ran = false;
        command.action(() => {
          ran = true;
        });
        const [, ...args] = shellWords(line);
        await program.parseAsync(args, { from: "user" }).catch((error: unknown) => {
          problems.push(`${line}: ${String(error)}`);
        });
        if (!ran) problems.push(`${line}: runs another command`);
      }
    };
    await visit(program, "svc");
    expect(problems).toEqual([]);
  });

  it("describes a command once, and begins all options and arguments alike", async () => {
    const problems: string[] = [];
    const visit = (command: Command): void => {
      const help = command.createHelp();
      const doc = help.commandDescription(command);
      if (/^(\w+?)y? .*?\. \1(?:e?s|ies)\b/su.test(doc)) problems.push(doc);
      for (const text of [
        ...help.visibleOptions(command).map((one) => help.optionDescription(one)),
        ...help.visibleArguments(command).map((one) => help.argumentDescription(one)),
      ]) {
        // A first word that is a name, such as metadata.name, keeps its spelling.
        if (/^[a-z]+(?: |$)/u.test(text)) problems.push(text);
        if (/\b(\w+ID|ID) of .*; (?:ID or name|\/)/u.test(text)) problems.push(text);
        if (text.split(", ").length > 25) problems.push(text);
      }
      command.commands.forEach(visit);
    };
    visit(await wholeProgram("0.1.0"));
    expect(problems).toEqual([]);
  });

  it("names no operation of the API where a command does", async () => {
    // Including a member of a body.
    const other = ["enterDevMode"];
    const ids = new Set(operations.map(({ id }) => id).filter((id) => !other.includes(id)));
    const found: string[] = [];
    const visit = (command: Command): void => {
      const text = helpOf(command).join("\n");
      if (/\bReturns 4\d\d\b/u.test(text)) found.push(`${command.name()}: a status of HTTP`);
      for (const word of text.match(/\w+/gu) ?? [])
        if (/[A-Z]/u.test(word) && ids.has(word)) found.push(word);
      command.commands.forEach(visit);
    };
    visit(await wholeProgram("0.1.0"));
    expect(found).toEqual([]);
  });

  it("explains topics from the documentation", async () => {
    const list = await runSvc(["help", "topics"]);
    expect([list.code, list.err]).toEqual([0, ""]);
    for (const [, name = ""] of list.out.matchAll(/^ {2}(\S+)/gmu)) {
      const topic = await runSvc(["help", name]);
      expect([topic.code, topic.err]).toEqual([0, ""]);
      expect(topic.out).not.toMatch(/^Usage|```|\]\(/u);
    }
    const safety = await runSvc(["help", "safety"]);
    expect(safety.out).toContain(
      "  `prune` is off\n      `onRemoval` at the last apply: not set, or `delete`\n      result: ",
    );
    const wrong = await runSvc(["help", "saftey"]);
    expect([wrong.code, wrong.out]).toEqual([64, ""]);
    expect(wrong.err).toContain("Did you mean safety?");
    const unknown = await runSvc(["help", "nosuch"]);
    expect([unknown.code, unknown.err]).toEqual([
      64,
      expect.stringContaining("`svc help topics` lists the topics"),
    ]);
  });

  it.each<[readonly string[], string, readonly string[]]>([
    [["help"], "sa", ["safety"]],
    [["help"], "deployments", ["deployments"]],
    [["explain"], "EmbedUserA", ["EmbedUserAttribute"]],
    [["explain"], "UserGroup.d", ["UserGroup.description"]],
    [["export", "User"], "WorkbookAc", ["WorkbookAccess"]],
    [["workbooks", "list", "main", "--columns"], "id,sl", ["id,slug"]],
    [["workbooks", "list", "main", "--columns"], "id,i", []],
    [["embed", "comments", "list", "x", "--columns"], "aut", ["author"]],
    [["workbooks", "list", "main", "--sort"], "-na", ["-name"]],
    [["spec", "--columns"], "p", ["path"]],
  ])("completes svc %j with what begins with %s", async (before, word, found) => {
    const { code, out } = await runSvc(["__complete", `--word=${word}`, "--", ...before]);
    const values = out.split("\n").flatMap((line) => line.split("\t", 1).filter(Boolean));
    expect([code, values]).toEqual([0, found]);
  });

  it("refuses an unknown word below a command that has a default", async () => {
    const { code, err } = await runSvc(["help", "promote", "rn"]);
    expect(code).not.toBe(0);
    expect(err).toContain("Did you mean run?");
  });

  it("is the same for `svc help COMMAND` and `svc COMMAND --help`", async () => {
    for (const words of [
      ["plan"],
      ["deployments", "create"],
      ["embed", "groups", "users", "add"],
    ]) {
      const flag = await runSvc([...words, "--help"]);
      expect(flag.out).toContain(`Usage: svc ${words.join(" ")}`);
      expect(await runSvc(["help", ...words])).toEqual(flag);
    }
  });

  it("shows the help of svc for `svc help` without a topic", async () => {
    const whole = await runSvc(["--help"]);
    for (const line of [["help"], ["help", "--help"], ["help", "help"]])
      expect([line, await runSvc(line)]).toEqual([line, whole]);
  });

  it("loads only the modules of the command", async () => {
    expect(await loadedModules(["--help"])).toEqual([
      "cli/areas",
      "cli/command-list.ts",
      "cli/main.ts",
      "cli/program.ts",
      "cli/shared",
      "commander",
      "core/errors.ts",
      "core/text/naming.ts",
      "fastest-levenshtein",
    ]);
    for (const command of ["plan", "apply", "promote", "controller", "api"]) {
      const ofHelp = await loadedModules([command, "--help"]);
      expect(
        ofHelp.filter((name) => /^(?:client|resources|provider|service)\/|^\w+$/u.test(name)),
      ).toEqual(["commander"]);
    }
    for (const command of ["serve", "admin"]) {
      const ofService = await loadedModules([command, "--help"]);
      const heavy = ofService.filter((name) =>
        /^(?:service\/(?!cli|server)|api|client)/u.test(name),
      );
      expect([command, ofService.includes("typebox"), heavy]).toEqual([command, false, []]);
    }
    // Neither the client nor an engine.
    const ofArea = await loadedModules(["branches", "--help"]);
    const folders = new Set(ofArea.map((name) => name.split("/", 1).join()));
    expect([...folders].toSorted()).toEqual([
      "api",
      "cli",
      "commander",
      "core",
      "fastest-levenshtein",
      "files",
      "typebox",
    ]);
    expect(ofArea.filter((name) => name.startsWith("files/"))).toEqual([
      "files/secret-file.ts",
      "files/text-file.ts",
    ]);
    expect(ofArea.filter((name) => name.startsWith("api/"))).toEqual([
      "api/branches.ts",
      "api/data-model.ts",
      "api/deployments.ts",
      "api/field-descriptions.ts",
      "api/recorded-because.ts",
      "api/schemas.ts",
    ]);
  });

  it("prints the version of the package", async () => {
    const file = join(import.meta.dirname, "../../package.json");
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
    expect(await runSvc(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });
});

describe("wrong usage", slowTest, () => {
  it.each([
    [["plam"], "Did you mean plan?"],
    [["plan", "-f", "shop"], "error: unknown option '-f' [usage]\n  See `svc plan --help`.\n"],
    [
      ["promote", "hold", "platform", "--reason", "freeze"],
      "error: required option '--stage <stage>' not specified [usage]\n",
    ],
    [["validate"], "missing required argument 'deployment' [usage]"],
    [["embed", "tenants", "create"], "Commands of svc embed tenants: list, delete, workbooks."],
    [["plam", "--help"], "Did you mean plan?"],
    [["inventory", "mvoe"], "Did you mean move?"],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish, powershell [usage]"],
    [
      ["promote", "st", "--to", "dev"],
      "error: no mode given [usage]\n  Pass --direct to apply the versions, or --write to write them",
    ],
    [["promote", "run", "stats"], " [usage]\n  Run `svc login"],
    [["deployments", "crete", "--help"], "Did you mean create?"],
    [["help", "deployments", "crete"], "Did you mean create?"],
    [["logs", "main", "--source", "prod"], "Allowed choices are production, dev [usage]"],
    [["deployments", "creation-step", "advance", "main", "x"], "Allowed choices are project, "],
    [["plam"], "See `svc --help`."],
    [["plan", "/no/such/folder"], "error: not found: /no/such/folder [usage]"],
    [["apply", "--plan", "a", "--plan", "b"], "'--plan <file>' is given more than once [usage]"],
    [["graph", "--dot", "--output", "text"], "cannot be used with"],
    [["promote"], "Usage: svc promote"],
    [
      ["graph", "--json=3"],
      "error: unknown option '--json=...' [usage]\n  Did you mean --json? See",
    ],
    [["plan", "--outt", "x"], "Did you mean --out?"],
    [["plan", "--output", "xml"], "'xml' is invalid. Allowed choices are text, json, "],
    [["api", "GTE", "/x"], "Did you mean GET?"],
    [["api", "GET"], "missing required argument 'path'"],
    [["plan", "--var", "novalue"], "Use name=value."],
    [["apply", "--allow-deletes", "some"], "It must be a whole number [usage]"],
    [["spec", "a", "b"], "too many arguments"],
    [["plan", "--ready-file", "a", "--api-key-file", "b"], "cannot be used with"],
    [["plan", "/no/such/folder"], "not found: /no/such/folder"],
    [["lint", "no-such.yaml"], "not found: no-such.yaml"],
    [["lint", join(import.meta.dirname, "cli-help.goldn")], "cli-help.golden?"],
    [["lint", join(import.meta.filename, "inside")], "Paths are relative to the current folder."],
    [["explain", "Pipline"], "Did you mean Pipeline?"],
    [["help", "plam"], "Did you mean plan?"],
    [[], "Usage: svc"],
  ])("%j ends with 64 and says what is meant", async (args, message) => {
    const { code, out, err } = await runSvc(args);
    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain(message);
  });

  it("is no argument of a default verb before --help", async () => {
    const { code, out } = await runSvc(["promote", "platform", "--help"]);
    expect([code, out]).toEqual([0, expect.stringContaining("Usage: svc promote ")]);
  });

  it("suggests a subcommand once", async () => {
    const { err } = await runSvc(["help", "promote", "rn"]);
    expect(err.match(/did you mean/giu)).toHaveLength(1);
  });

  it("never repeats what may be a key", async () => {
    const all = [
      await runSvc(["api", "--api-key=sk-very-secret", "GET", "/"]),
      await runSvc(["api", "--api-key", "sk-very-secret", "GET", "/"]),
      await runSvc(["api", "GET", "/", "sk-very-secret"]),
      await runSvc(["plan", "--var", "very-secret"]),
      await runSvc(["plan", "--pasword=very-secret"]),
      await runSvc(["plan", "-qp=very-secret"]),
      await runSvc(["sk-very-secret"]),
      await runSvc(["users", "sk-very-secret"]),
      await runSvc(["api", "/api/v1/regions?key=sk-very-secret"]),
    ];
    for (const { code, err } of all) {
      expect(code).toBe(64);
      expect(err).not.toContain("very-secret");
    }
  });

  it("is a missing address; a missing key is an authentication error", async () => {
    const address = await runSvc(["api", "GET", "/"]);
    expect([address.code, address.out]).toEqual([64, ""]);
    expect(address.err).toContain("SVC_API_URL");
    const key = await runSvc(["api", "GET", "/"], { env: { SVC_API_URL: "http://127.0.0.1:9" } });
    expect([key.code, key.out]).toEqual([77, ""]);
    expect(key.err).toContain("SVC_API_KEY");
  });

  it("is a result file that cannot be written", async () => {
    const { code, err } = await runSvc(["explain", "--json-into", "no/such/folder/x.json"]);
    expect(code).toBe(64);
    expect(err).toContain("cannot write no/such/folder/x.json: no such file or folder");
  });
});

describe("explain", slowTest, () => {
  it("lists every kind if none is named", async () => {
    const { code, out } = await runSvc(["explain"]);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(goldenFile("cli-explain"));
  });

  it("explains a kind and a field", async () => {
    const [kind, field] = await Promise.all([
      runSvc(["explain", "EmbedUser"]),
      runSvc(["explain", "EmbedGroup.description"]),
    ]);
    await expect(kind.out).toMatchFileSnapshot(goldenFile("cli-explain-kind"));
    await expect(field.out).toMatchFileSnapshot(goldenFile("cli-explain-field"));
  });

  it("suggests the nearest name", async () => {
    const { code, out, err } = await runSvc(["explain", "EmbedGrop"]);
    expect([code, out]).toEqual([64, ""]);
    expect(err).toContain("Did you mean EmbedGroup?");
  });

  it("prints the fields of a kind as JSON", async () => {
    const { out } = await runSvc(["explain", "EmbedGroup.name", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ kind: "EmbedGroup", fields: [{ path: "name" }] });
  });

  it("names the reference page of a document that is no resource", async () => {
    const { code, err } = await runSvc(["explain", "Stack"]);
    expect([code, err]).toEqual([64, expect.stringContaining("`svc help stack` explains it")]);
  });
});

describe("lint", slowTest, () => {
  const folder = makeFolder({
    "good/stack.yaml":
      "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: good }\nspec: { environment: [TEAM] }\n",
    "good/group.yaml":
      "apiVersion: svc/v1\nkind: UserGroup\nmetadata: { name: a }\nspec: { name: '${team}-${env:TEAM}-${n}' }\n",
    "bad/stack.yaml": "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: bad }\n",
    "bad/groups.yaml": [
      "apiVersion: svc/v1",
      "kind: UserGrup",
      "metadata: { name: one }",
      "spec: {}",
      "---",
      "apiVersion: svc/v1",
      "kind: UserGroup",
      "metadata: { name: two }",
      "spec:",
      "  nmae: two",
      "  description: [1]",
      "---",
      "apiVersion: svc/v1",
      "kind: EmbedGroup",
      "metadata: { name: three }",
      "spec: { embedTenant: nowhere, name: '${unset}' }",
      "",
    ].join("\n"),
    "empty/readme.txt": "",
  });
  afterAll(() => folder.remove());
  const cwd = folder.path;

  it("shows all errors in one run, with their places", async () => {
    const { code, out, err } = await runSvc(["lint", "bad"], { cwd });
    expect([code, out]).toEqual([1, ""]);
    await expect(err).toMatchFileSnapshot(goldenFile("cli-diagnostics"));
  });

  it("reports that there is no stack", async () => {
    const { code, err } = await runSvc(["lint", "empty"], { cwd });
    expect(code).toBe(1);
    expect(err).toContain("no Stack document found in or below empty");
  });

  it("shows errors as JSON", async () => {
    const { code, out } = await runSvc(["lint", "bad", "--output", "json"], { cwd });
    const { diagnostics } = JSON.parse(out) as { diagnostics: { code: string }[] };
    expect(code).toBe(1);
    expect(diagnostics.map((one) => one.code)).toContain("unknown-kind");
  });

  it("takes variables, and reads the environment only with a grant", async () => {
    const args = ["lint", "good", "--var", "team=ops", "--var-json", "n=7", "--json"];
    const env = { TEAM: "x" };
    const refused = await runSvc(args, { cwd, env });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("--grant environment=TEAM");
    const allowed = await runSvc([...args, "--grant", "environment=TEAM"], { cwd, env });
    expect([allowed.code, allowed.err]).toEqual([0, ""]);
    expect(JSON.parse(allowed.out)).toMatchObject({ stack: "good", objects: 1 });
  });

  it("reads standard input", async () => {
    const input = "apiVersion: svc/v1\nkind: Stack\nmetadata: { name: piped }\n";
    const { code, out } = await runSvc(["lint", "-"], { cwd, input });
    expect([code, out]).toEqual([0, "Stack piped is valid: 0 objects.\n"]);
  });
});
