// Finds errors in the receivers of notifications and statuses, which the schema of a configuration cannot express.
import { isEmailAddress } from "../core/text/email-address.ts";
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
  const kinds = notify.flatMap((target, index) => {
    const needed = membersOf[target.type] ?? [];
    const wrong = (["url", "secret", "mail"] as const).find(
      (member) => needed.includes(member) !== (target[member] !== undefined),
    );
    if (wrong === undefined) return [];
    const path = `/notify/${index}/type`;
    const summary = `a target of the type ${target.type} has ${needed.join(" and ")}, and nothing else for its address`;
    const remedy = `${needed.includes(wrong) ? "Add" : "Remove"} ${wrong}.`;
    return [{ path, summary, remedy }];
  });
  const mails = notify.flatMap(({ mail }, index) =>
    mail === undefined
      ? []
      : mailErrors(mail).map((error) => ({ ...error, path: `/notify/${index}/mail${error.path}` })),
  );
  const secrets = [
    ...notify.flatMap(({ url, secret, mail }, index) => [
      [`/notify/${index}/url`, url] as const,
      [`/notify/${index}/secret`, secret] as const,
      [`/notify/${index}/mail/password`, mail?.password] as const,
    ]),
    ...statuses.map(({ token }, index) => [`/statuses/${index}/token`, token] as const),
  ];
  const places = secrets.flatMap(([at, place]) =>
    place === undefined || (place.env === undefined) !== (place.file === undefined)
      ? []
      : [{ path: at, ...twoSecretPlaces }],
  );
  return [...errors, ...kinds, ...mails, ...places];
}

/** The members that each type of a notification needs. */
const membersOf: Readonly<Record<string, readonly string[]>> = {
  webhook: ["url", "secret"],
  slack: ["url"],
  mail: ["mail"],
};

type MailDocument = NonNullable<NonNullable<ControllerDocument["notify"]>[number]["mail"]>;

function mailErrors({ server, password, from, to }: MailDocument): readonly ConfigFileError[] {
  const url = URL.parse(server);
  const isServer = url !== null && /^smtps?:$/u.test(url.protocol) && url.hostname !== "";
  const sender = /^(?:[^<>\r\n]*<([^<>\s]+)>|([^<>\s]+))$/u.exec(from);
  return [
    ...(isServer && url.password === ""
      ? []
      : [
          {
            path: "/server",
            summary: "this is no address of an SMTP server, or it contains a password",
            remedy: "Write smtp://USER@HOST:587, and the password into password.",
          },
        ]),
    ...(isServer && (url.username !== "") !== (password !== undefined)
      ? [
          {
            path: "/password",
            summary: "a user needs a password, and a password a user in server",
            remedy: "Add the missing one.",
          },
        ]
      : []),
    ...(isEmailAddress(sender?.[1] ?? sender?.[2])
      ? []
      : [
          {
            path: "/from",
            summary: "this is no sender",
            remedy: "Write an address: GitOps <gitops@example.com>.",
          },
        ]),
    ...(isEmailAddress(to)
      ? []
      : [{ path: "/to", summary: "this is no address", remedy: "Write team@example.com." }]),
  ];
}
