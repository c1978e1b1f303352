// Tests examples/deploy: manifests of Kubernetes and units of systemd against the programs and endpoints that they name.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { readControllerConfig } from "../../controller/read-config.ts";
import { openControllerFixture } from "../controller/fixture.ts";
import { runSvc } from "../golden/run-cli.ts";
import { lintObjects } from "./kubernetes-lint.ts";

const deploy = path.join(import.meta.dirname, "../../examples/deploy");
const base = path.join(deploy, "kubernetes/base");

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly env?: readonly { readonly name: string; readonly valueFrom?: object }[];
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly selector?: { readonly matchLabels?: object };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly securityContext: object;
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

const documents = (text: string): Manifest[] =>
  parseAllDocuments(text).map((one) => {
    expect(one.errors).toEqual([]);
    return one.toJS() as Manifest;
  });
const manifests = readdirSync(base)
  .filter((name) => name !== "kustomization.yaml" && name !== "controller-config.yaml")
  .flatMap((name) => documents(readFileSync(path.join(base, name), "utf8")));
const workloads = manifests.filter(({ kind }) => kind === "StatefulSet");
const podOf = ({ spec }: Manifest) => {
  if (spec.template === undefined) throw new Error("not a workload");
  return spec.template;
};

/** The long options that a command has. */
async function optionsOf(command: string): Promise<readonly string[]> {
  const { out } = await runSvc([command, "--help"]);
  return [...out.matchAll(/(--[a-z][a-z-]+)/gu)].map(([, option = ""]) => option);
}
async function expectOptions(args: readonly string[]): Promise<void> {
  const [command = "", ...rest] = args;
  const known = await optionsOf(command);
  expect(known).toEqual(expect.arrayContaining(rest.filter((one) => one.startsWith("--"))));
}

describe("the manifests of Kubernetes", () => {
  const namespace = readFileSync(path.join(deploy, "kubernetes/production/namespace.yaml"), "utf8");

  it("have the fields, types and choices of its API only", () => {
    expect(lintObjects([...manifests, ...documents(namespace)])).toEqual([]);
  });

  it.each([
    ["containers:", "containres:", /'"containres"' does not exist in type 'IPodSpec'/u],
    ["containerPort: 9480", "containerPort: '9480'", /'string' is not assignable .*'number'/u],
    ["ReadWriteOnce", "ReadWriteTwice", /'"ReadWriteTwice"' is not assignable/u],
    ["selector: { matchLabels", "# {", /'"selector"' is missing/u],
    ["kind: StatefulSet", "kind: StatefulSets", /no exported member 'IStatefulSets'/u],
  ])("would fail with another %s", (from, to, error) => {
    const text = readFileSync(path.join(base, "controller.yaml"), "utf8");
    expect(text).toContain(from);
    expect(lintObjects(documents(text.replace(from, to)))).toEqual([expect.stringMatching(error)]);
  });

  it.each(workloads.map((one) => [one.metadata.name, one] as const))(
    "run %s without rights, on a read-only root, with probes, bounds and a network policy",
    async (name, workload) => {
      const { metadata, spec } = podOf(workload);
      const [container] = spec.containers;
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: "RuntimeDefault" },
        },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
      const volumes = spec.volumes.map((one) => one.name);
      const claims = (workload.spec.volumeClaimTemplates ?? []).map((one) => one.metadata.name);
      const mounts = container.volumeMounts.map((one) => one.name);
      expect(mounts.toSorted()).toEqual([...volumes, ...claims].toSorted());
      expect(container.volumeMounts.map((one) => one.mountPath)).toContain("/tmp");
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      for (const { httpGet } of probes)
        expect(container.ports.map((one) => one.name)).toContain(httpGet.port);
      expect(workload.spec.selector?.matchLabels).toEqual(metadata.labels);
      const policies = manifests.filter(({ kind }) => kind === "NetworkPolicy");
      expect(policies.map(({ spec: policy }) => policy.podSelector?.matchLabels)).toContainEqual({
        "app.kubernetes.io/name": name,
      });
      await expectOptions(container.args);
    },
  );

  it("probe endpoints that the service and the controller have", async () => {
    const fixture = await openControllerFixture();
    try {
      fixture.stack("stacks/northwind", []);
      const running = await fixture.start([{ folder: "stacks/northwind" }], {
        listen: { port: 0 },
      });
      const urls: Readonly<Record<string, string>> = {
        svc: fixture.service.url,
        "svc-controller": running.url(),
      };
      for (const workload of workloads) {
        const [container] = podOf(workload).spec.containers;
        const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
        for (const { httpGet } of probes) {
          const url = `${urls[workload.metadata.name]}${httpGet.path}`;
          expect([url, (await fetch(url)).status]).toEqual([url, 200]);
        }
      }
    } finally {
      await fixture.close();
    }
  });

  it("give the controller a configuration that it accepts, on the port of its container", () => {
    const config = readControllerConfig(path.join(base, "controller-config.yaml"));
    const controller = workloads.find(({ metadata }) => metadata.name === "svc-controller");
    const ports = controller && podOf(controller).spec.containers[0].ports;
    expect(ports?.map((one) => one.containerPort)).toEqual([config.listen?.port]);
    expect(config.state).toBe("/state");
  });

  it("give the controller the fingerprint key that it had before a restart, and that its replicas have", () => {
    const controller = workloads.find(({ metadata }) => metadata.name === "svc-controller");
    expect(controller && podOf(controller).spec.containers[0].env).toEqual([
      {
        name: "SVC_FINGERPRINT_KEY",
        valueFrom: { secretKeyRef: { name: "svc-controller", key: "fingerprint-key" } },
      },
    ]);
    const page = path.join(import.meta.dirname, "../../docs/how-to/host-the-service.md");
    const [command = ""] =
      /^kubectl .*create secret(?:.*\\\n)*.*$/mu.exec(readFileSync(page, "utf8")) ?? [];
    expect(command).toContain(" svc-controller ");
    const config = readFileSync(path.join(base, "controller-config.yaml"), "utf8");
    const files = [...config.matchAll(/^[^#\n]*\/secrets\/([\w-]+)/gmu)].map(([, key]) => key);
    for (const key of [...files, "fingerprint-key"])
      expect(command).toMatch(new RegExp(`=${key}\\b`, "u"));
  });

  const hasKubectl = spawnSync("kubectl", ["kustomize", "--help"]).status === 0;
  it.runIf(hasKubectl)("are an installation with its overlay", () => {
    const overlay = path.join(deploy, "kubernetes/production");
    const built = documents(execFileSync("kubectl", ["kustomize", overlay], { encoding: "utf8" }));
    expect(built.map(({ kind }) => kind).toSorted()).toEqual(
      ["ConfigMap", "Namespace", ...manifests.map(({ kind }) => kind)].toSorted(),
    );
    expect(lintObjects(built)).toEqual([]);
    const inside = built.filter(({ kind }) => kind !== "Namespace");
    expect(inside.every(({ metadata }) => metadata.namespace === "svc")).toBe(true);
    expect(JSON.stringify(built)).toContain("registry.example.com/svc-server:0.1.0");
    expect(JSON.stringify(built)).toContain("10.20.0.0/16");
  });
});

describe("the units of systemd", () => {
  const units = readdirSync(path.join(deploy, "systemd"));
  const read = (name: string) => readFileSync(path.join(deploy, "systemd", name), "utf8");

  it.each(units)("%s runs a command of svc with options that it has", async (name) => {
    const [, line = ""] = /^ExecStart=\/usr\/local\/bin\/svc (.+)$/mu.exec(read(name)) ?? [];
    await expectOptions(line.split(" "));
  });

  it("keep the fingerprint key of the controller with its state", () => {
    const unit = read("svc-controller.service");
    const [, state = ""] = /^StateDirectory=(.+)$/mu.exec(unit) ?? [];
    expect(unit).toContain(`\nEnvironment=XDG_CONFIG_HOME=%S/${state}\n`);
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
  it.runIf(hasSystemd).each(units)("%s has settings that systemd knows", (name) => {
    const file = path.join(deploy, "systemd", name);
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], {
      encoding: "utf8",
    });
    expect(
      stderr.split("\n").filter((line) => /Unknown|Failed to parse|Invalid/u.test(line)),
    ).toEqual([]);
  });
});

it("the file of the image has instructions that builders accept", () => {
  const image = readFileSync(path.join(deploy, "Containerfile"), "utf8");
  expect(validate(image).map(({ message }) => message)).toEqual([]);
  expect(validate(image.replace(/^FROM/mu, "FORM"))).not.toEqual([]);
});
