// Finds errors in the receivers of notifications and statuses, which the schema of a configuration cannot express.
import type { ConfigFileError } from "../reconciler/document-types.ts";
import type { ControllerDocument } from "./config-schema.ts";
import { messageFields, templateError } from "./message-template.ts";

/** Says that a secret has two places, or none. */
export const twoSecretPlaces = {
  summary: "a secret comes from either an environment variable or a file",
  remedy: "Write exactly one of env and file.",
};

/** Returns the errors of all receivers. */
export function targetErrors(
  notify: NonNullable<ControllerDocument["notify"]>,
  statuses: NonNullable<ControllerDocument["statuses"]>,
): readonly ConfigFileError[] {
  const targets = [
    ...notify.map((target, index) => ({ ...target, at: `/notify/${index}` })),
    ...statuses.map((target, index) => ({ ...target, at: `/statuses/${index}` })),
  ];
  const errors = targets.flatMap(({ at, name, template = "" }, index): ConfigFileError[] => {
    const wrong = templateError(template);
    return [
      ...(targets.findIndex((target) => target.name === name) < index
        ? [
            {
              path: `${at}/name`,
              summary: `another target is called ${name}`,
              remedy: "Rename one.",
            },
          ]
        : []),
      ...(wrong === undefined
        ? []
        : [
            {
              path: `${at}/template`,
              summary: wrong,
              remedy: `Fields: ${messageFields.join(", ")}.`,
            },
          ]),
    ];
  });
  const kinds = notify.flatMap(({ type, secret }, index) =>
    (type === "webhook") === (secret !== undefined)
      ? []
      : [
          {
            path: `/notify/${index}/type`,
            summary: "a webhook has a secret for its signature, and Slack has none",
            remedy: "Add or remove secret.",
          },
        ],
  );
  const secrets = [
    ...notify.flatMap(({ url, secret }, index) => [
      [`/notify/${index}/url`, url] as const,
      [`/notify/${index}/secret`, secret] as const,
    ]),
    ...statuses.map(({ token }, index) => [`/statuses/${index}/token`, token] as const),
  ];
  const places = secrets.flatMap(([at, place]) =>
    place === undefined || (place.env === undefined) !== (place.file === undefined)
      ? []
      : [{ path: at, ...twoSecretPlaces }],
  );
  return [...errors, ...kinds, ...places];
}
