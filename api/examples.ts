// Example values for the OpenAPI document, derived from schemas and from the names of members.
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { exclusiveMembers } from "../core/schema/member-rules.ts";
import { withDocumentedRule } from "../core/schema/traits.ts";

/** Values of members by name, where the schema has no typical one. */
const byName: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>(
  Object.entries({
    name: "sales",
    username: "ann",
    email: "ann@example.com",
    recipientEmail: "ann@example.com",
    displayName: "Sales",
    firstName: "Ann",
    title: "Sales",
    description: "Figures of the sales team.",
    externalId: "viewer-17",
    recipientExternalId: "viewer-17",
    internalId: "ann",
    embedTenantName: "acme-inc",
    recipientEmbedTenantName: "acme-inc",
    branchName: "main",
    region: "aws-us-east-1",
    releaseChannelVersion: "release",
    customDomain: "bi.example.com",
    deploymentUrl: "https://sales.acme.svc.example.com",
    picture: "https://example.com/ann.png",
    timezone: "Europe/Berlin",
    locale: "en-GB",
    cronExpression: "0 6 * * *",
    customCron: "0 6 * * *",
    humanReadableSchedule: "Every day at 06:00",
    member: "orders.status",
    sessionId: "0123456789abcdef0123456789abcdef",
    token: "sk-0123456789abcdef",
    prefix: "sk-0123",
    publicId: "3fJ81kQzT0aB",
    dashboardPublicId: "3fJ81kQzT0aB",
    publicDashboardId: "3fJ81kQzT0aB",
    userAttributeId: "1",
    userId: "1",
    value: "eu",
    slug: "sales",
    filter: 'id eq "1"',
    accentColor: "#1a2b3c",
    primaryColor: "#1a2b3c",
    authUrl: "https://accounts.example.com/authorize",
    tokenUrl: "https://accounts.example.com/token",
    issuer: "https://ci.example.com",
    audience: "https://acme.svc.example.com",
    file: "Y3ViZXM6IFtdCg==",
    remoteUrl: "https://git.example.com/acme/sales.git",
    repoUrl: "https://git.example.com/acme/sales.git",
    redirectUri: "https://svc.example.com/callback",
    redirectUris: "https://svc.example.com/callback",
    version: "1.7.20",
    error: "the name is missing",
    message: "the name is missing",
  }),
);

/** A time in examples. */
const time = "2026-01-31T09:30:00.000Z";

/**
 * Returns a value that a schema allows: required members, and the members of the first alternative of its rules. `name`
 * is the name of the member that has the value.
 */
export function exampleOf(declared: JsonObject, name = ""): JsonValue {
  const schema = withDocumentedRule(declared);
  const { type, anyOf, examples } = schema;
  if (Array.isArray(examples)) return (examples[0] as JsonValue | undefined) ?? null;
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"][0] ?? null;
  if (type === "object") return exampleObject(schema);
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonObject, name);
  if (type === "array") return [exampleOf(schema["items"] as JsonObject, name)];
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return exampleNumber(schema);
  if (type === "string") return exampleText(schema, name);
  return "eu";
}

function exampleObject(schema: JsonObject): JsonObject {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const needed = new Set((schema["required"] as readonly string[] | undefined) ?? []);
  const [oneOf] = exclusiveMembers(schema);
  if (oneOf !== undefined) needed.add(oneOf);
  const [rule] = ((schema["oneOf"] ?? schema["anyOf"]) as readonly JsonObject[] | undefined) ?? [];
  for (const member of (rule?.["required"] as readonly string[] | undefined) ?? [])
    needed.add(member);
  const [first] = Object.keys(properties);
  // A request that updates an object has no required member.
  if (needed.size === 0 && first !== undefined) needed.add(first);
  return Object.fromEntries(
    [...needed].map((member) => [member, exampleOf(properties[member] as JsonObject, member)]),
  );
}

function exampleNumber({ minimum, maximum }: JsonObject): number {
  const least = typeof minimum === "number" ? Math.max(1, minimum) : 1;
  return typeof maximum === "number" ? Math.min(least, maximum) : least;
}

function exampleText({ format, pattern }: JsonObject, name: string): string {
  if (format === "date-time") return time;
  if (format === "date") return time.slice(0, 10);
  const known = byName.get(name);
  const isKnown = typeof known === "string";
  if (isKnown && (typeof pattern !== "string" || new RegExp(pattern, "u").test(known)))
    return known;
  return "sales";
}
