// Tests examples/deploy: manifests of Kubernetes and units of systemd against the programs and endpoints that they name.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { readControllerConfig } from "../../controller/read-config.ts";
import { openControllerFixture } from "../controller/fixture.ts";
import { runSvc } from "../golden/run-cli.ts";

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

  const hasKubectl = spawnSync("kubectl", ["kustomize", "--help"]).status === 0;
  it.runIf(hasKubectl)("are an installation with its overlay", () => {
    const overlay = path.join(deploy, "kubernetes/production");
    const built = documents(execFileSync("kubectl", ["kustomize", overlay], { encoding: "utf8" }));
    expect(built.map(({ kind }) => kind).toSorted()).toEqual(
      ["ConfigMap", "Namespace", ...manifests.map(({ kind }) => kind)].toSorted(),
    );
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
