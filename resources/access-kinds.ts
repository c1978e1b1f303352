// The kinds of access: each is one entry in the policies of an object, for a group, a user or all users.
import { Type } from "typebox";
import { Id } from "../api/schemas.ts";
import type { JsonObject } from "../core/json.ts";
import { type BindingBuilder, defineKind, type Kind } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { kebabCase } from "../core/text/naming.ts";
import { type PermissionAction, policyActions } from "../core/operation/permission-actions.ts";
import { field, oneOf } from "../core/schema/traits.ts";
import { accessBindings, type AccessObject } from "./access-bindings.ts";
import { type Subject, subjects } from "./access-subjects.ts";
import { statusSchema } from "./status-schema.ts";

/** The examples of the kinds of one type: the object's fields, an action, and a greater one if there is one. */
interface AccessExamples {
  /** Prefix of the examples' names. */
  readonly name: string;
  readonly scope: Readonly<Record<string, string>>;
  /** For types with several actions. */
  readonly actions?: readonly [PermissionAction, PermissionAction];
}

/** Returns the kinds of access to objects of a type: of a group, of a user, and of all users. */
export function accessKinds(
  object: AccessObject,
  examples: AccessExamples,
): readonly [group: Kind, user: Kind, allUsers: Kind] {
  const [group, user, all] = subjects.map((subject) => accessKind(object, subject, examples)) as [
    Kind,
    Kind,
    Kind,
  ];
  return [group, user, all];
}

function accessKind(object: AccessObject, subject: Subject, examples: AccessExamples): Kind {
  const { type, fields } = object;
  const name = `${type}${subject.infix}Access`;
  const scope = Object.keys(fields);
  const actions = policyActions(type);
  // A type with one action has no field for it.
  const hasActions = actions.length > 1;
  const [action, greater] = examples.actions ?? actions;
  const { example } = subject;
  return defineKind(
    {
      name,
      plural: `${kebabCase(name)}es`,
      doc: `What ${subject.doc} may do with a ${type.toLowerCase()}${object.reach} It adds to what roles and other policies permit.`,
      shape: hasActions ? "entry" : "link",
      recordedAs: `${kebabCase(type)}-${subject.infix === "" ? "group" : "user"}-policies`,
      key: [...scope, ...Object.keys(subject.fields)],
      scope,
      limit: {
        what: `policies on one ${type.toLowerCase()}`,
        max: limits.resourcePolicies,
        remedy: "Give access to groups in place of single users.",
      },
      ...(object.check && { check: object.check }),
      spec: Type.Object({
        ...fields,
        ...subject.fields,
        ...(hasActions && {
          action: field(oneOf(actions), {
            doc: "What the access permits. An action includes lesser ones; there is one action for each group, each user, and all users.",
          }),
        }),
      }),
      status: statusSchema({
        ...Object.fromEntries([...(object.parentIds ?? []), object.idField].map((id) => [id, Id])),
        deploymentId: Id,
        ...subject.status,
      }),
      examples: [
        {
          title: `${example.title}: ${action}`,
          name: `${examples.name}-${example.name}`,
          spec: { ...examples.scope, ...example.spec, ...(hasActions && { action }) },
          variations: hasActions ? { action: greater } : {},
        },
      ],
    },
    (bind) => accessBindings(bind as object as BindingBuilder<JsonObject>, object, subject),
  );
}
