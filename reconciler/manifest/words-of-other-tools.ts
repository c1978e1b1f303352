// Says what to write in place of words that Terraform, Pulumi and Kubernetes have and manifests do not.
import { lifecycleRules } from "../../core/kind/lifecycle-rules.ts";

const rules = Object.keys(lifecycleRules.properties).join(", ");
const order = "Remove it: svc orders objects by their references.";
const protect = "Write metadata.lifecycle: { protect: true }.";
const ignore = "Write metadata.lifecycle: { ignore: [{ path: /spec/FIELD, reason: TEXT }] }.";
const many =
  "Write one document for each object, or a manifest in TypeScript, which can have loops.";
const orphan = "Write metadata.lifecycle: { onRemoval: orphan }.";
const target = "The Stack names the server: spec.target: { url: URL }.";
const replaced = "Remove it: svc deletes an object before it creates its replacement.";
const labels = "Write metadata.labels.";
const environment =
  "svc does not read the Kubernetes API: have the pod pass the value to svc as an environment variable or a file.";

/** What to write, by the word in lower case and without underscores and hyphens. */
const fields: Readonly<Record<string, string>> = {
  lifecycle: `Write it in metadata: metadata.lifecycle, with ${rules}.`,
  protect,
  preventdestroy: protect,
  deletionprotection: protect,
  ignorechanges: ignore,
  ignoredifferences: ignore,
  dependson: order,
  count: many,
  foreach: many,
  retainondelete: orphan,
  deletionpolicy: orphan,
  createbeforedestroy: replaced,
  deletebeforereplace: replaced,
  import: "Write metadata.lifecycle: { adopt: true }, or run `svc adopt`.",
  moved: "Write metadata.lifecycle: { movedFrom: KIND/NAME }.",
  aliases: "Write metadata.lifecycle: { movedFrom: KIND/NAME }.",
  prune: "Set it for the whole stack, in the Stack document: spec.policy: { prune: true }.",
  provider: target,
  namespace: "Remove it: the names of documents are unique in their stack.",
  annotations: labels,
  tags: labels,
  status: "Remove it: the server sets the status.",
};

const sources: Readonly<Record<string, string>> = {
  secretkeyref: environment,
  configmapkeyref: environment,
  secretref: environment,
  fieldref: environment,
};

/** Names that fields have in other tools, with the name of the field in manifests, where there is one. */
const synonyms: Readonly<Record<string, string>> = {
  server: "target",
  provider: "target",
  url: "target",
  host: "target",
  backend: "inventory",
  state: "inventory",
  vars: "variables",
  values: "variables",
  files: "manifests",
  resources: "manifests",
  patches: "overlays",
};

/** Returns the field that a field of another tool may mean. */
export function synonymOf(name: string): string | undefined {
  return found(synonyms, name);
}

/** Returns what to write in place of a field of another tool. */
export function fieldOfOtherTools(name: string): string | undefined {
  return found(fields, name);
}

/** Returns what to write in place of a source of values that another tool has. */
export function sourceOfOtherTools(name: string): string | undefined {
  return found(sources, name);
}

/** Returns what to write in place of an expression of Terraform, such as `svc_embed_tenant.acme.name`. Undefined for other texts. */
export function expressionRemedy(text: string): string | undefined {
  const name = /^(?:data\.)?svc_[a-z_]+\.([\w-]+)(?:\.\w+)*$/u.exec(text)?.[1];
  return name && `Write the metadata.name of the document, such as ${name}.`;
}

function found(table: Readonly<Record<string, string>>, name: string): string | undefined {
  const word = name.replaceAll(/[_-]/gu, "").toLowerCase();
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
