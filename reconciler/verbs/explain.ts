// Describes kinds and fields from their declarations, as data and as text.
import { alignColumns } from "../../core/text/align-columns.ts";
import type { TSchema } from "typebox";
import type { Component } from "../../core/kind/component.ts";
import { componentFields } from "../../core/kind/component-schema.ts";
import { canClear, type FieldInfo, fieldsOf, membersOf } from "../../core/kind/fields.ts";
import { manifestNotes, generatedSecretText, typeText } from "../../core/kind/json-schema.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";
import { closestMatch, kebabCase, terraformType } from "../../core/text/naming.ts";
import { mapValues, variants, view } from "../../core/schema/schema.ts";

/** One field. */
export interface FieldDoc {
  /** As requested: `attributes`, `fields.name`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly doc: string;
  /** Meaning of its traits, one sentence each. */
  readonly notes: readonly string[];
  readonly fields: readonly FieldDoc[];
}

/** A kind or a component, or one of its fields. */
export interface ExplainResult {
  readonly kind: Kind | Component;
  /** Undefined for the whole kind. */
  readonly field: FieldDoc | undefined;
  readonly fields: readonly FieldDoc[];
}

/**
 * Explains `KIND` or `KIND.field`, of kinds and components, or returns a suggestion for an unknown name. Accepts the
 * paths of plans, with `/`, indexes and `[]`, which stand for the items of a list.
 */
export function explain(
  kinds: readonly (Kind | Component)[],
  topic: string,
): ExplainResult | { readonly unknown: string; readonly meant: string | undefined } {
  const [name = "", ...steps] = topic
    .replaceAll(/\[\d*\]/gu, "")
    .split(/[./]+/u)
    .filter((step, index) => index === 0 || !/^\d*$/u.test(step));
  const kind = kinds.find((type) => namesOf(type).includes(name.toLowerCase()));
  if (kind === undefined) {
    return {
      unknown:
        name === ""
          ? `"${topic}" does not begin with a resource type`
          : `unknown resource type "${name}"`,
      meant: closestMatch(
        name,
        kinds.map((type) => type.name),
      ),
    };
  }
  const fields = isComponent(kind)
    ? componentFields(kind).map(partDoc)
    : fieldsOf(kind).map((field) => fieldDoc(field, ""));
  if (steps[0] === "spec") steps.shift();
  let among = fields;
  let doc: FieldDoc | undefined;
  for (const [depth, step] of steps.entries()) {
    const path = steps.slice(0, depth + 1).join(".");
    doc = among.find((field) => field.path === path);
    if (doc === undefined) {
      const meant = closestMatch(
        step,
        among.map((field) => field.path.split(".").at(-1) ?? ""),
      );
      const full = [kind.name, ...steps.slice(0, depth), meant].join(".");
      return { unknown: `${kind.name} has no field "${path}"`, meant: meant && full };
    }
    among = [...doc.fields];
  }
  return { kind, field: doc, fields: among };
}

function isComponent(kind: Kind | Component): kind is Component {
  return "parts" in kind;
}

function namesOf(kind: Kind | Component): readonly string[] {
  const { name } = kind;
  const spellings = [name.toLowerCase(), kebabCase(name), terraformType(name)];
  return [...spellings, ...(isComponent(kind) ? [] : [kind.plural])];
}

/** Describes a part of a component: the traits of a field do not apply to it. */
function partDoc({ name, schema, traits, required }: FieldInfo): FieldDoc {
  return {
    path: name,
    type: typeText(schema),
    required,
    doc: stripMarkdown(traits.doc),
    notes: [],
    fields: memberFields(schema).map((member) => fieldDoc(member, `${name}.`)),
  };
}

function fieldDoc(field: FieldInfo, prefix: string): FieldDoc {
  const path = `${prefix}${field.name}`;
  const { refersTo, doc } = field.traits;
  const target = refersTo === undefined ? undefined : `reference to ${refersTo}`;
  return {
    path,
    type: typeText(field.schema, target),
    required: field.required,
    doc: stripMarkdown(doc),
    notes: traitSentences(field),
    fields: memberFields(field.schema).map((member) => fieldDoc(member, `${path}.`)),
  };
}

function traitSentences(field: FieldInfo): readonly string[] {
  const { whenOmitted, serverChosen } = field.traits;
  const keeps = !field.required && serverChosen !== true && (whenOmitted ?? "keep") === "keep";
  return [
    ...(keeps ? ["If omitted, the live value is kept."] : []),
    ...manifestNotes(field.traits, view(field.schema).default),
    ...(canClear(field) ? ["null clears it."] : []),
  ];
}

/** Returns the named members of a field, through lists, maps and alternatives. */
function memberFields(schema: TSchema): readonly FieldInfo[] {
  return variants(schema).flatMap((variant) => {
    const within = view(variant).items ?? mapValues(variant);
    return within === undefined ? membersOf(variant) : memberFields(within);
  });
}

function stripMarkdown(markdown: string): string {
  return markdown.replace(/`([^`]*)`/gu, "$1");
}

/** Formats all kinds, one line each. */
export function kindList(kinds: readonly (Kind | Component)[]): string {
  const rows = kinds.map(({ name, doc }) => [name, firstSentence(stripMarkdown(doc))]);
  return alignColumns(rows).join("\n");
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/su.exec(text)?.[0] ?? text;
}

/** Formats an explanation for a terminal of `width` columns. */
export function explainText({ kind, field, fields }: ExplainResult, width: number): string {
  const most = Math.min(width, 100);
  const head =
    field === undefined
      ? [kind.name, ...wrapText(stripMarkdown(kind.doc), "  ", most), "", ...kindFacts(kind, most)]
      : [`${kind.name}.${field.path}`, ...fieldLines(field, most)];
  const list = fields.flatMap((one) => ["", ...fieldHeader(one, most)]);
  const title = fields.length === 0 ? [] : ["", "Fields"];
  return [...head, ...title, ...list].join("\n");
}

function kindFacts(kind: Kind | Component, width: number): readonly string[] {
  if (isComponent(kind)) {
    const parts = kind.parts.map((part) => part.kind.name);
    const sentence = `A component: a document declares objects of ${[...new Set(parts)].join(", ")}.`;
    return wrapText(sentence, "  ", width);
  }
  const key = isSingleton(kind)
    ? "There is one in each account."
    : `Identified by ${kind.key.join(" and ")}.`;
  const cascade = kind.cascades ? ["Deleting it deletes everything inside."] : [];
  const cannot = Object.entries(kind.unsupported).map(
    ([verb, why]) => `Cannot ${verb}: ${stripMarkdown(why)}`,
  );
  const secret =
    kind.generatedSecret === undefined
      ? []
      : [stripMarkdown(generatedSecretText(kind.generatedSecret))];
  return [key, ...cascade, ...cannot, ...secret].flatMap((line) => wrapText(line, "  ", width));
}

function fieldHeader(note: FieldDoc, width: number): readonly string[] {
  const lines = [`  ${note.path}`, ...fieldLines(note, width).map((line) => `  ${line}`)];
  return [...lines, ...note.fields.flatMap((field) => fieldHeader(field, width))];
}

function fieldLines({ type, required, doc, notes }: FieldDoc, width: number): readonly string[] {
  const about = [type, required ? "required" : "optional"].join(", ");
  return [about, doc, ...notes]
    .filter((line) => line !== "")
    .flatMap((line) => wrapText(line, "  ", width - 2));
}

function wrapText(text: string, indent: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/u)) {
    const last = lines.at(-1);
    const fits = last !== undefined && last.length + 1 + word.length <= width;
    if (fits) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}${word}`);
  }
  return lines;
}
