// Reads the accounts file of a server, as YAML or JSON. Reports every error with its line.
import { readFileSync, statSync } from "node:fs";
import { domainToASCII } from "node:url";
import { type Static, Type } from "typebox";
import { LineCounter, parseDocument } from "yaml";
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { validator } from "../../core/schema/validate.ts";
import { withoutEnvironment } from "../../core/text/yaml-environment.ts";
import { locator } from "../../core/text/yaml-locator.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { type AccountDeclaration, type AccountsDeclaration, isAccountName } from "./accounts.ts";
import { isHostName } from "../accounts/hosts.ts";

const Account = Type.Object(
  {
    domains: Type.Optional(Type.Array(Type.String(), { maxItems: limits.accountDomains })),
    creatorMode: Type.Optional(Type.Boolean()),
    embedding: Type.Optional(Type.Boolean()),
    personalKeys: Type.Optional(Type.Boolean()),
    githubInstallations: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), { maxItems: limits.githubInstallations }),
    ),
    externalUsers: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    rateLimit: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.rateLimitMax })),
  },
  { additionalProperties: false },
);

const File = Type.Object(
  {
    host: Type.String(),
    accounts: Type.Record(Type.String(), Type.Union([Account, Type.Null()]), {
      minProperties: 1,
      maxProperties: limits.accounts,
    }),
  },
  { additionalProperties: false },
);

interface FileError {
  readonly at: readonly string[];
  readonly message: string;
}

/** Reads the accounts in a file. Throws `usage` with every error and its line and column. */
export function readAccountsFile(path: string): AccountsDeclaration {
  const lines = new LineCounter();
  const text = readFileText(path);
  const options = { lineCounter: lines, stringKeys: true, prettyErrors: false } as const;
  const document = withoutEnvironment(() => parseDocument(text, options));
  const found = document.errors.map(({ pos, message }) => ({ offset: pos[0], message }));
  if (found.length === 0) {
    const value: unknown = document.toJS({ maxAliasCount: limits.yamlAliases });
    const { errors, declared } = parseDeclaration(value);
    if (declared !== undefined && errors.length === 0) return declared;
    const offsetOf = locator(text);
    found.push(
      ...errors.map(({ at, message }) => ({
        offset: offsetOf(joinPointer(at), "key"),
        message: `${at.length === 0 ? "the file" : at.join(".")} ${message}`,
      })),
    );
  }
  const all = found.slice(0, limits.diagnosticsShown).map(({ offset, message }) => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}: ${message}`;
  });
  throw new Failure("usage", all.join("\n"), {
    remedy:
      "The file has the members host and accounts; docs/how-to/host-the-service.md has an example.",
  });
}

function readFileText(path: string): string {
  try {
    if (statSync(path).size <= limits.accountsFileBytes) return readFileSync(path, "utf8");
  } catch (cause) {
    const message = `the accounts file ${path} cannot be read: ${systemErrorText(cause)}`;
    throw new Failure("usage", message, { cause });
  }
  throw new Failure("usage", `${path} is larger than ${limits.accountsFileBytes} bytes`);
}

function parseDeclaration(value: unknown): {
  errors: readonly FileError[];
  declared?: AccountsDeclaration;
} {
  const violations = validator(File)(value);
  if (violations.length > 0) {
    return {
      errors: violations.map(({ path, message }) => ({
        at: splitPointer(path),
        message,
      })),
    };
  }
  const file = value as Static<typeof File>;
  const accounts = Object.entries(file.accounts).map(([name, account]) =>
    toAccountDeclaration(name, account),
  );
  const declared = { host: domainToASCII(file.host), accounts };
  return { declared, errors: [...hostErrors(declared), ...nameErrors(declared)] };
}

function toAccountDeclaration(
  name: string,
  account: Static<typeof Account> | null,
): AccountDeclaration {
  const { domains = [], githubInstallations, rateLimit, ...settings } = account ?? {};
  const { creatorMode, embedding, personalKeys, externalUsers } = settings;
  return {
    name,
    domains: domains.map((domain) => domainToASCII(domain)),
    ...(githubInstallations === undefined ? {} : { githubInstallations }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    settings: {
      ...(creatorMode === undefined ? {} : { useCreatorMode: creatorMode }),
      ...(embedding === undefined ? {} : { embeddingEnabled: embedding }),
      ...(personalKeys === undefined ? {} : { personalKeys }),
      ...(externalUsers === undefined ? {} : { externalUserLimit: externalUsers }),
    },
  };
}

function nameErrors({ accounts }: AccountsDeclaration): readonly FileError[] {
  return accounts
    .filter(({ name }) => !isAccountName(name))
    .map(({ name }) => ({
      at: ["accounts", name],
      message:
        "is not a valid account name; use 5 to 36 lowercase letters, digits and hyphens, beginning with a letter",
    }));
}

function hostErrors({ host, accounts }: AccountsDeclaration): readonly FileError[] {
  const errors: FileError[] = [];
  if (!isHostName(host)) {
    errors.push({ at: ["host"], message: "must be a host such as svc.example.com" });
  }
  const taken = new Map(accounts.map(({ name }) => [`${name}.${host}`, name]));
  for (const { name, domains } of accounts) {
    domains.forEach((domain, index) => {
      const at = ["accounts", name, "domains", String(index)];
      const owner = taken.get(domain);
      if (!isHostName(domain)) {
        errors.push({
          at,
          message: "must be a host such as analytics.example.com, without a port",
        });
      } else if (owner !== undefined) {
        errors.push({ at, message: `is already a host of the account ${owner}` });
      }
      taken.set(domain, name);
    });
  }
  return errors;
}
