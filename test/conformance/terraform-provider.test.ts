// The Terraform provider without an engine: the lifecycle of every kind, and its socket with mutual TLS.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { kindsByName } from "../../core/kind/kind.ts";
import { keyOf } from "../../core/kind/identity.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { isKnownObject, Unknown, type Value } from "../../provider/bridge/unknown-values.ts";
import {
  fromField,
  type AttributeValues,
  typeOf,
} from "../../provider/terraform/attribute-values.ts";
import type { SentIdentity } from "../../provider/terraform/identity.ts";
import { createProvider } from "../../provider/terraform/provider.ts";
import type { Provider } from "../../provider/terraform/wire/plugin.ts";
import { providerAttributes, schemas } from "../../provider/terraform/wire-schema.ts";
import { selfSigned } from "../../provider/terraform/wire/certificate.ts";
import { type Dynamic, fromWire, toWire } from "../../provider/terraform/wire/cty.ts";
import {
  methodCodecs,
  type MethodName,
  type StreamName,
} from "../../provider/terraform/wire/messages.ts";
import { snakeCase, terraformType } from "../../core/text/naming.ts";
import { kinds } from "../../resources/index.ts";
import { installedProvider } from "../engines/terraform-workspace.ts";
import { everyKind, prepareAccount } from "../support/every-kind.ts";
import { liveState } from "../support/live-state.ts";
import { resolveReferences } from "../../scripts/resolve-references.ts";
import { startService, type TestService } from "../support/test-service.ts";
import { collect } from "./terraform-protocol.ts";

interface EngineResponse {
  readonly plannedState?: Dynamic;
  readonly plannedPrivate?: Uint8Array;
  readonly newState?: Dynamic;
  readonly private?: Uint8Array;
  readonly newIdentity?: SentIdentity;
  readonly plannedIdentity?: SentIdentity;
  readonly upgradedIdentity?: SentIdentity;
  readonly importedResources?: readonly {
    readonly state: Dynamic;
    readonly identity?: SentIdentity;
  }[];
  readonly result?: Dynamic;
  readonly targetState?: { readonly json?: Uint8Array };
  readonly diagnostics?: readonly { readonly severity: number; readonly detail: string }[];
}

describe("the provider's requests", () => {
  let service: TestService;
  let provider: Provider;
  beforeEach(async () => {
    service = await startService();
    await prepareAccount(service);
    provider = createProvider();
    const settings = { url: service.url, api_key: service.adminKey };
    const config = toWire(typeOf(providerAttributes), settings);
    expect(await ask("ConfigureProvider", { config, terraformVersion: "1.11.4" })).toEqual({
      diagnostics: [],
    });
  });
  afterEach(async () => {
    await provider.close();
    await service.close();
  });

  async function ask(method: MethodName, request: object): Promise<EngineResponse> {
    const answer: EngineResponse = await provider.handlers[method](request);
    const wrong = answer.diagnostics?.filter(({ severity }) => severity === 1) ?? [];
    expect(wrong).toEqual([]);
    return answer;
  }

  it("create, read, update and delete every kind, with no unknown values left and an empty plan", async () => {
    const created: {
      typeName: string;
      state: Dynamic | undefined;
      held: Uint8Array | undefined;
    }[] = [];
    for (const { kind, spec } of resolveReferences(everyKind)) {
      const typeName = terraformType(kind.name);
      const { attributes = [] } = schemas.resources[typeName] ?? {};
      const type = typeOf(attributes);
      const given: AttributeValues = Object.fromEntries(
        attributes.map(({ name, field, form, part }): [string, Value] => [
          name,
          part === "spec" ? fromField(form, spec[field]) : null,
        ]),
      );
      const config = toWire(type, given);
      const nothing = toWire(type, null);
      const create = { typeName, config, priorState: nothing, proposedNewState: config };
      const planned = await ask("PlanResourceChange", create);
      const { plannedState, plannedPrivate } = planned;
      const change = { typeName, config, priorState: nothing, plannedState, plannedPrivate };
      const applied = await ask("ApplyResourceChange", change);
      const state = fromWire(type, applied.newState);
      expect(JSON.stringify(state)).not.toContain("payload");
      expect(
        isKnownObject(state) && Object.values(state).some((one) => one instanceof Unknown),
      ).toBe(false);
      const identity = applied.newIdentity;
      const read = { typeName, currentState: applied.newState, private: applied.private };
      const seen = await ask("ReadResource", read);
      expect([kind.name, seen.newIdentity]).toEqual([kind.name, identity]);
      expect(await identified(typeName, identity)).toEqual([
        kind.name,
        keyOf(kind, normalize(kind, spec)),
      ]);
      expect([kind.name, fromWire(type, seen.newState)]).toEqual([kind.name, state]);
      const again = { typeName, config, priorState: seen.newState, proposedNewState: config };
      const held = { priorPrivate: seen.private, priorIdentity: identity };
      const idle = await ask("PlanResourceChange", { ...again, ...held });
      expect(idle.plannedIdentity).toEqual(identity);
      expect([kind.name, fromWire(type, idle.plannedState)]).toEqual([kind.name, state]);
      created.push({ typeName, state: seen.newState, held: seen.private });
    }
    for (const { typeName, state, held } of created.toReversed()) {
      const type = typeOf(schemas.resources[typeName]?.attributes ?? []);
      const deletion = { plannedState: toWire(type, null), plannedPrivate: held };
      const change = { typeName, priorState: state, config: toWire(type, null), ...deletion };
      expect(fromWire(type, (await ask("ApplyResourceChange", change)).newState)).toBeNull();
      const read = { typeName, currentState: state, private: held };
      expect(fromWire(type, (await ask("ReadResource", read)).newState)).toBeNull();
    }
  });

  /** Returns the kind and natural key of the object with this identity. */
  async function identified(
    typeName: string,
    identity: SentIdentity | undefined,
  ): Promise<unknown> {
    const block = schemas.resources[typeName];
    const type = typeOf(block?.attributes ?? []);
    const [imported] =
      (await ask("ImportResourceState", { typeName, identity })).importedResources ?? [];
    expect(imported?.identity).toEqual(identity);
    const state = fromWire(type, imported?.state);
    return [block?.kind, isKnownObject(state) ? state["import_id"] : undefined];
  }

  it("keep the identity of an object that was recreated under its name, and report a missing one", async () => {
    const typeName = "svc_user_group";
    const block = schemas.resources[typeName];
    const type = typeOf(block?.attributes ?? []);
    const given =
      block?.attributes.map(({ name }) => [name, name === "name" ? "analysts" : null]) ?? [];
    const config = toWire(type, Object.fromEntries(given) as AttributeValues);
    const priorState = toWire(type, null);
    const planned = await ask("PlanResourceChange", {
      typeName,
      config,
      priorState,
      proposedNewState: config,
    });
    expect(planned.plannedIdentity).toBeUndefined();
    const { plannedState, plannedPrivate } = planned;
    const created = await ask("ApplyResourceChange", {
      typeName,
      config,
      priorState,
      plannedState,
      plannedPrivate,
    });
    const { newState: currentState, newIdentity: currentIdentity } = created;
    const { body } = await service.send("GET", "/api/v1/user-groups");
    const [own] = (body as { items: { id: number; name: string }[] }).items.filter(
      ({ name }) => name === "analysts",
    );
    await service.send("DELETE", `/api/v1/user-groups/${own?.id}`);
    await service.send("POST", "/api/v1/user-groups", { body: { name: "analysts" } });
    const seen = await ask("ReadResource", {
      typeName,
      currentState,
      currentIdentity,
      private: created.private,
    });
    expect(seen.newIdentity).toEqual(currentIdentity);
    expect(fromWire(type, seen.newState)).not.toBeNull();
    const refused = await provider.handlers.ImportResourceState({
      typeName,
      identity: currentIdentity,
    });
    expect(refused).toMatchObject({ diagnostics: [{ severity: 1 }] });
    const rawIdentity = { json: Buffer.from('{"id":5}') };
    expect(await ask("UpgradeResourceIdentity", { typeName, rawIdentity })).toEqual({
      upgradedIdentity: { identityData: rawIdentity },
    });
  });

  const ephemerals = Object.entries(schemas.ephemerals);

  it.each(ephemerals)(
    "open %s for one run, and delete it at the latest with the run",
    async (typeName, block) => {
      const type = typeOf(block.attributes);
      const kind = kindsByName(kinds).get(block.kind);
      const mine = `${block.kind}/run`;
      const createdNames = async (): Promise<readonly string[]> =>
        Object.keys(await liveState(service)).filter((name) => name.startsWith(mine));
      const given = block.attributes.map(({ name, field }) => [
        name,
        field === kind?.key[0] ? "run" : null,
      ]);
      const config = toWire(type, Object.fromEntries(given) as AttributeValues);
      await ask("ValidateEphemeralResourceConfig", { typeName, config });
      const opened = await ask("OpenEphemeralResource", { typeName, config });
      const again = await ask("OpenEphemeralResource", { typeName, config });
      const result = fromWire(type, opened.result);
      const secret = isKnownObject(result)
        ? result[snakeCase(kind?.generatedSecret?.name ?? "")]
        : undefined;
      expect(secret).toEqual(expect.stringMatching(/.{20}/));
      expect(String(Buffer.from(opened.private ?? []))).not.toContain(secret);
      expect(await createdNames()).toHaveLength(2);
      await ask("StopProvider", {});
      await ask("CloseEphemeralResource", { typeName, private: opened.private });
      expect(await createdNames()).toHaveLength(1);
      // Open ephemeral objects are deleted with the process.
      expect(again.private).toBeDefined();
      await provider.close();
      expect(await createdNames()).toEqual([]);
    },
  );

  it("refuse an invalid name of an ephemeral resource, at its attribute", async () => {
    const [typeName = "", block] = ephemerals[0] ?? [];
    const attributes = block?.attributes ?? [];
    const config = toWire(typeOf(attributes), { name: "x".repeat(300) });
    expect(
      await provider.handlers.ValidateEphemeralResourceConfig({ typeName, config }),
    ).toMatchObject({
      diagnostics: [{ severity: 1, attribute: { steps: [{ attributeName: "name" }] } }],
    });
  });

  it("move state of the same type from another address, and refuse other types", async () => {
    const json = Buffer.from('{"name":"analysts"}');
    const from = { sourceProviderAddress: "mirror.example/svc/svc", sourceState: { json } };
    const same = { sourceTypeName: "svc_user_group", targetTypeName: "svc_user_group" };
    expect((await ask("MoveResourceState", { ...from, ...same })).targetState).toEqual({ json });
    for (const wrong of [
      { ...same, sourceTypeName: "svc_embed_group" },
      { ...same, sourceSchemaVersion: 99 },
      { ...same, sourceProviderAddress: "registry.terraform.io/acme/other" },
    ]) {
      const answer = await provider.handlers.MoveResourceState({ ...from, ...wrong });
      expect(answer).toMatchObject({
        diagnostics: [{ severity: 1, detail: expect.stringContaining("Import the object") }],
      });
    }
  });

  it("return stored state unchanged, and refuse state of a newer version", async () => {
    const json = Buffer.from('{"id":12345678901234567890}');
    const answer = await provider.handlers.UpgradeResourceState({
      typeName: "svc_user_group",
      rawState: { json },
    });
    expect(answer).toEqual({ upgradedState: { json } });
    const newer = await provider.handlers.UpgradeResourceState({ typeName: "x", version: 99 });
    expect(newer).toMatchObject({ diagnostics: [{ severity: 1 }] });
  });
});

describe("encoded values", () => {
  it("stay exact, with all their refinements", () => {
    const type = ["object", { a: "number", b: "number", c: "number", d: "string" }] as const;
    const refined = new Unknown(new Uint8Array([0x81, 1, 0xc2]));
    const value = { a: 0.1, b: 7, c: "12345678901234567890123", d: refined };
    expect(fromWire(type, toWire(type, value))).toEqual(value);
    expect(fromWire("string", toWire("string", new Unknown()))).toEqual(new Unknown());
  });
});

describe("the plugin's socket", () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-plugin-"));
  });
  afterEach(() => {
    child?.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("is announced in one line, accepts only its own client, and closes on shutdown", async () => {
    const provider = await installedProvider();
    const [own, foreign] = [selfSigned("localhost"), selfSigned("localhost")];
    const started = spawn(process.execPath, [join(provider, "provider.mjs")], {
      env: {
        TMPDIR: folder,
        TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
        PLUGIN_CLIENT_CERT: own.pem,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child = started;
    const line = await new Promise<string>((done) =>
      started.stdout.once("data", (data) => done(String(data))),
    );
    const [core, protocol, network, path = "", kind, certificate = ""] = line.trim().split("|");
    expect([core, protocol, network, kind]).toEqual(["1", "6", "unix", "grpc"]);
    expect(certificate).not.toMatch(/=$/);
    const padded = certificate.padEnd(Math.ceil(certificate.length / 4) * 4, "=");
    const pem = `-----BEGIN CERTIFICATE-----\n${padded.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
    const target = { path, server: pem };
    const answer = await call("/tfplugin6.Provider/GetMetadata", target, own);
    const names = (answer as { resources: { typeName: string }[] }).resources;
    expect(names.map(({ typeName }) => typeName)).toEqual(Object.keys(schemas.resources));
    await expect(call("/tfplugin6.Provider/GetMetadata", target, foreign)).rejects.toThrow();
    expect(await stream("ListResource", target, own)).toMatchObject([
      { diagnostic: [{ severity: 1, detail: expect.stringContaining("not known yet") }] },
    ]);
    const ended = new Promise((done) => started.once("exit", done));
    await call("/plugin.GRPCController/Shutdown", target, own);
    expect(await ended).toBe(0);
  });
});

interface PluginAddress {
  readonly path: string;
  readonly server: string;
}

interface ClientCertificate {
  readonly key: string;
  readonly pem: string;
}

function clientOf({ path, server }: PluginAddress, { key, pem }: ClientCertificate): Client {
  const trusted = credentials.createSsl(Buffer.from(server), Buffer.from(key), Buffer.from(pem));
  return new Client(`unix:${path}`, trusted, {
    "grpc.ssl_target_name_override": "localhost",
    "grpc.default_authority": "localhost",
  });
}

/** Returns the events of a call that answers with a stream. */
async function stream(
  method: StreamName,
  target: PluginAddress,
  certificate: ClientCertificate,
): Promise<readonly object[]> {
  const client = clientOf(target, certificate);
  const { request, response } = methodCodecs(method);
  const events = client.makeServerStreamRequest(
    `/tfplugin6.Provider/${method}`,
    (message: object) => request.encode(message),
    (bytes: Buffer) => response.decode(bytes),
    { typeName: "svc_user_group" },
  );
  try {
    return await collect(events as AsyncIterable<object>);
  } finally {
    client.close();
  }
}

function call(
  method: string,
  target: PluginAddress,
  certificate: ClientCertificate,
): Promise<object> {
  const client = clientOf(target, certificate);
  const { request, response } = methodCodecs("GetMetadata");
  return new Promise<object>((done, failed) => {
    client.makeUnaryRequest(
      method,
      (message: object) => request.encode(message),
      (bytes: Buffer) => response.decode(bytes),
      {},
      { deadline: Date.now() + 10_000 },
      (error: ServiceError | null, value?: object) => {
        client.close();
        if (error !== null) failed(error);
        else done(value ?? {});
      },
    );
  });
}
