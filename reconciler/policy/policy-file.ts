// Reads a policy file: JSON that selects built-in rules, sets severities, and adds rules as JSON
// Schemas over the JSON of a plan.
import { Type, type Static } from "typebox";
import { Failure, invariant } from "../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { assertValidSchema, declaredValidator, validator } from "../../core/schema/validate.ts";
import type { SchemaValidationError } from "../../core/schema/validation-messages.ts";
import { readTextFile } from "../../files/text-file.ts";
import { configFileSchema } from "../manifest/config-file.ts";
import { planJson } from "../engine/plan-json.ts";
import { builtinRules } from "./builtin-rules.ts";
import type { PolicyViolation, PolicyRule } from "./policy-rule.ts";
import { recommended } from "./policy-names.ts";
import { codeOf } from "../../core/system/system-error.ts";
import { didYouMean, sentences } from "../../core/text/naming.ts";
import { ruleNamePattern } from "../../core/text/text-patterns.ts";

const closed = { additionalProperties: false } as const;
const SeveritySchema = Type.Union(
  (["error", "warning", "info"] as const).map((level) => Type.Literal(level)),
  { description: "Severity of the findings; see --fail-on." },
);

const BuiltinRuleSchema = Type.Object(
  {
    use: Type.Union(
      builtinRules.map(({ name }) => Type.Literal(name)),
      { description: "A built-in rule." },
    ),
    severity: Type.Optional(SeveritySchema),
  },
  { ...closed, description: "A built-in rule." },
);

const CustomRuleSchema = Type.Object(
  {
    name: Type.String({
      pattern: ruleNamePattern,
      description: "Name of the rule, shown in findings.",
    }),
    severity: SeveritySchema,
    message: Type.String({
      minLength: 1,
      description: "Message of a finding.",
    }),
    remedy: Type.Optional(Type.String({ description: "What to do about a finding." })),
    over: Type.Union([Type.Literal("plan"), Type.Literal("change")], {
      description:
        "What the schema validates: the JSON report of the plan, or each of its changes.",
    }),
    schema: Type.Unsafe<JsonObject>({
      type: "object",
      description: "A JSON Schema, draft 2020-12. Anything invalid is a finding.",
    }),
  },
  { ...closed, description: "A custom rule." },
);

const policySchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    rules: Type.Array(Type.Union([BuiltinRuleSchema, CustomRuleSchema]), { minItems: 1 }),
  },
  { ...closed, description: "Policies for plans of svc." },
);

const validatePolicies = declaredValidator(policySchema);

/** JSON Schema of a policy file, published as `schemas/policy.json`. */
export function policyFileSchema(): JsonObject {
  return configFileSchema("Policies of svc", policySchema);
}

/**
 * Returns the rules of a policy file, or the recommended ones. Fails with `usage` if the file or a
 * schema in it is invalid.
 */
export function readRules(file: string): readonly PolicyRule[] {
  if (file === recommended) return builtinRules;
  const declared = parsed(file);
  const [wrong] = validatePolicies(declared);
  if (wrong !== undefined) throw invalidPolicyFile(file, `${wrong.path || "it"} ${wrong.message}`);
  const { rules } = declared as Static<typeof policySchema>;
  return rules.map((rule) => ("use" in rule ? builtinRule(rule) : customRule(rule, file)));
}

function builtinRule({ use, severity }: Static<typeof BuiltinRuleSchema>): PolicyRule {
  const rule = builtinRules.find(({ name }) => name === use);
  invariant(rule !== undefined, "the policy file schema only accepts known rules");
  return severity === undefined ? rule : { ...rule, severity };
}

function customRule(declaration: Static<typeof CustomRuleSchema>, file: string): PolicyRule {
  const { name, severity, over, schema } = declaration;
  if (holdsAsync(schema)) throw invalidPolicyFile(file, `the schema of ${name} must not be $async`);
  const check = validator(schema);
  try {
    assertValidSchema(schema);
    // Compiled here, so that an unknown keyword is reported before the plan.
    check({});
  } catch (error) {
    const why = error instanceof Error ? error.message : "it cannot be read";
    throw invalidPolicyFile(file, `the schema of ${name} is invalid: ${why}`, error);
  }
  const offences: PolicyRule["evaluate"] = (plan, kinds) => {
    const report = plainJson(planJson(plan, { kinds }));
    const reported = over === "plan" ? [report] : (report["changes"] as readonly JsonObject[]);
    return reported.flatMap((finding) => {
      const violations = check(finding);
      return violations.length === 0
        ? []
        : [violationFor(declaration, finding["address"], violations)];
    });
  };
  return { name, severity, evaluate: offences };
}

function violationFor(
  { name, message, remedy }: Static<typeof CustomRuleSchema>,
  address: JsonValue | undefined,
  violations: readonly SchemaValidationError[],
): PolicyViolation {
  const named = violations
    .slice(0, limits.placesNamed)
    .map(({ path, message: why }) => (path === "" ? why : `${path} ${why}`));
  const about = typeof address === "string" ? { address } : {};
  return {
    code: "policy-violation",
    summary: `${name}: ${message}${about.address === undefined ? "" : ` (${about.address})`}: ${named.join("; ")}`,
    ...(remedy === undefined ? {} : { remedy }),
    ...about,
  };
}

/** An asynchronous schema would accept everything. */
function holdsAsync(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.some((item: JsonValue) => holdsAsync(item));
  if (!isObject(value)) return false;
  return "$async" in value || Object.values(value).some(holdsAsync);
}

/** Removes undefined members, which a schema would see. */
function plainJson(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function textIn(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    if (!(error instanceof Failure) || codeOf(error.cause) !== "ENOENT") throw error;
    const { message, cause } = error;
    const forms = `Pass the path of a policy file, or ${recommended} for the built-in rules.`;
    const remedy = sentences(didYouMean(file, [recommended]), forms);
    throw new Failure("usage", message, { cause, remedy });
  }
}

function parsed(file: string): unknown {
  const text = textIn(file);
  if (text.length > limits.policyCharacters) throw invalidPolicyFile(file, "it is too large");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidPolicyFile(file, "it is not valid JSON", error);
  }
}

function invalidPolicyFile(file: string, why: string, cause?: unknown): Failure {
  return new Failure("usage", `${file} is not a policy file: ${why}`, {
    remedy: "See docs/how-to/write-policies.md for an example; schemas/policy.json is its schema.",
    ...(cause === undefined ? {} : { cause }),
  });
}
