// Measures how the work of the Terraform provider and the Pulumi plugin grows with the number of user groups.
import { limits } from "../core/limits/limits.ts";
import { Secret } from "../core/secret.ts";
import type { Bridge } from "../provider/bridge/bridge.ts";
import { openBridge } from "../provider/bridge/connect.ts";
import { createRenameTracker } from "../provider/bridge/rename-tracker.ts";
import { changesOf } from "../provider/pulumi/diff.ts";
import * as pulumi from "../provider/pulumi/resources.ts";
import { typeOf } from "../provider/terraform/attribute-values.ts";
import { createProvider } from "../provider/terraform/provider.ts";
import type { Provider } from "../provider/terraform/wire/plugin.ts";
import { providerAttributes, schemas } from "../provider/terraform/wire-schema.ts";
import { type Dynamic, toWire } from "../provider/terraform/wire/cty.ts";
import { kinds } from "../resources/index.ts";
import { userGroup } from "../resources/user-group.ts";
import { terraformType } from "../core/text/naming.ts";
import { inParallel } from "./bare-client.ts";
import type { GrowthScene, GrowthStep } from "./growth-rate.ts";
import { type GrowthFixture, openFixture, seed } from "./growth-stacks.ts";

type Connection = { readonly url: string; readonly key: string };

const stored = "As declared.";
const edited = "Edited.";
const prefix = "group";

/** Reads objects and compares them with a program. */
export const engineReadScene: GrowthScene = {
  title: "Terraform and Pulumi: reads",
  size: 1000,
  open: async (size) => {
    const fixture = await openFixture("file");
    await seed(fixture, size, prefix);
    const connection = connectionOf(fixture);
    return {
      steps: [...terraformReads(connection, size), ...pulumiReads(connection, size)],
      close: () => fixture.close(),
    };
  },
};

/** Existing objects for each written one: so many that listing them all takes longer than a few writes. */
const seededPerWrite = 20;

/** Creates and updates objects, each in a call of its own, among many others. */
export const engineWriteScene: GrowthScene = {
  title: "Terraform and Pulumi: writes",
  size: 75,
  open: async (size) => {
    const fixture = await openFixture("file");
    await seed(fixture, size * seededPerWrite, prefix);
    const connection = connectionOf(fixture);
    return {
      steps: [...terraformWrites(connection, size), ...pulumiWrites(connection, size)],
      close: () => fixture.close(),
    };
  },
};

function connectionOf({ server }: GrowthFixture): Connection {
  return { url: server.url, key: server.adminKey.reveal() };
}

const typeName = terraformType(userGroup.name);
const attributes = schemas.resources[typeName]?.attributes ?? [];
const type = typeOf(attributes);

function configOf(name: string, description: string): Dynamic {
  const values: Readonly<Record<string, string>> = { name, description };
  return toWire(
    type,
    Object.fromEntries(attributes.map((one) => [one.name, values[one.name] ?? null])),
  );
}

/** The state of a resource, as Terraform stores it. */
interface Stored {
  readonly name: string;
  readonly state: Dynamic;
  readonly private: Uint8Array | undefined;
}

/** The members of a response that the steps read. */
interface Answer {
  readonly plannedState: Dynamic;
  readonly plannedPrivate: Uint8Array | undefined;
  readonly newState: Dynamic;
  readonly private: Uint8Array | undefined;
  readonly diagnostics?: readonly unknown[];
}

async function answerOf(response: Promise<object>): Promise<Answer> {
  const answer = (await response) as Answer;
  if ((answer.diagnostics ?? []).length > 0) throw new Error(JSON.stringify(answer.diagnostics));
  return answer;
}

/** Each step is a separate run, because Terraform starts the provider for each. */
async function withProvider(
  { url, key }: Connection,
  work: (provider: Provider) => Promise<void>,
): Promise<void> {
  const provider = createProvider();
  const settings = Object.fromEntries(providerAttributes.map(({ name }) => [name, null]));
  const config = toWire(typeOf(providerAttributes), { ...settings, url, api_key: key });
  await answerOf(provider.handlers.ConfigureProvider({ config, terraformVersion: "1.11.4" }));
  try {
    await work(provider);
  } finally {
    await provider.close();
  }
}

/** A step that starts a separate provider for each object. */
function terraformStep(
  name: string,
  { connection, count }: { readonly connection: Connection; readonly count: number },
  work: (provider: Provider, at: number) => Promise<void>,
): GrowthStep {
  return {
    name: `Terraform: ${name}`,
    run: () =>
      withProvider(connection, (provider) =>
        inParallel(numbersTo(count), limits.concurrency, (at) => work(provider, at)),
      ),
  };
}

function terraformWrites(connection: Connection, count: number): readonly GrowthStep[] {
  const states = new Map<number, Pick<Answer, "newState" | "private">>();
  const write = async ({ handlers }: Provider, at: number, description: string): Promise<void> => {
    const config = configOf(`terraform-${at}`, description);
    const before = states.get(at);
    const change = { typeName, config, priorState: before?.newState ?? toWire(type, null) };
    const planning = { ...change, priorPrivate: before?.private, proposedNewState: config };
    const { plannedState, plannedPrivate } = await answerOf(handlers.PlanResourceChange(planning));
    const planned = { ...change, plannedState, plannedPrivate };
    states.set(at, await answerOf(handlers.ApplyResourceChange(planned)));
  };
  const on = { connection, count };
  return [
    terraformStep("create", on, (provider, at) => write(provider, at, stored)),
    terraformStep("update", on, (provider, at) => write(provider, at, edited)),
  ];
}

function terraformReads(connection: Connection, count: number): readonly GrowthStep[] {
  const objects: Stored[] = [];
  const on = { connection, count };
  return [
    terraformStep("refresh", on, async ({ handlers }, at) => {
      const name = `${prefix}-${at}`;
      const currentState = configOf(name, stored);
      const answer = await answerOf(handlers.ReadResource({ typeName, currentState }));
      objects.push({ name, state: answer.newState, private: answer.private });
    }),
    terraformStep("diff", on, async ({ handlers }, at) => {
      const object = objects[at];
      if (object === undefined) throw new Error("an object was not read");
      const config = configOf(object.name, edited);
      const prior = { priorState: object.state, priorPrivate: object.private };
      await answerOf(
        handlers.PlanResourceChange({ typeName, config, ...prior, proposedNewState: config }),
      );
    }),
  ];
}

function numbersTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at);
}

/** A step that creates a separate bridge for each object. */
function pulumiStep(
  name: string,
  { connection, count }: { readonly connection: Connection; readonly count: number },
  work: (bridge: Bridge, at: number) => Promise<void>,
): GrowthStep {
  const { url, key } = connection;
  return {
    name: `Pulumi: ${name}`,
    run: async () => {
      const settings = { url, credential: new Secret(key) };
      const bridge = await openBridge(settings, { userAgent: "growth" });
      try {
        await inParallel(numbersTo(count), limits.concurrency, (at) => work(bridge, at));
      } finally {
        await bridge.close();
      }
    },
  };
}

function pulumiWrites(connection: Connection, count: number): readonly GrowthStep[] {
  const created = new Map<number, pulumi.AppliedResource>();
  const options = { ignoreChanges: [], renames: createRenameTracker() };
  const inputsOf = (at: number, description: string) => ({ name: `pulumi-${at}`, description });
  const create = async (bridge: Bridge, at: number): Promise<void> => {
    created.set(at, await pulumi.create(userGroup, bridge, inputsOf(at, stored)));
  };
  const update = async (bridge: Bridge, at: number): Promise<void> => {
    const before = created.get(at);
    if (before === undefined) throw new Error("an object was not created");
    const values = { inputs: inputsOf(at, stored), news: inputsOf(at, edited) };
    await pulumi.update(userGroup, bridge, { ...before, ...values, ...options, bridge });
  };
  const on = { connection, count };
  return [pulumiStep("create", on, create), pulumiStep("update", on, update)];
}

function pulumiReads(connection: Connection, count: number): readonly GrowthStep[] {
  const objects = new Map<string, pulumi.ReadResult>();
  const kindNamed = (name: string) => kinds.find((kind) => kind.name === name);
  const read = async (bridge: Bridge, at: number): Promise<void> => {
    const imported = { id: `${prefix}-${at}`, state: {}, inputs: undefined, kindNamed };
    const found = await pulumi.read(userGroup, bridge, imported);
    if (found === undefined) throw new Error("an object was not found");
    objects.set(found.id, found);
  };
  const compareAll = async (): Promise<void> => {
    const options = { ignoreChanges: [], renames: createRenameTracker(), bridge: undefined };
    for (const object of objects.values()) {
      const news = { ...object.inputs, description: edited };
      const { fields } = changesOf(userGroup, object, { news, ...options });
      if (fields.length !== 1) throw new Error(`${fields.length} fields of ${object.id} differ`);
    }
  };
  return [
    pulumiStep("read", { connection, count }, read),
    { name: "Pulumi: diff", run: compareAll },
  ];
}
