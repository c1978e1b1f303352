// What the page knows before it asks the service: the shell's settings and the parameters of its address. Pure.
import { isObject, type JsonObject, parseObject } from "../../../core/json.ts";
import { publicIdOf } from "./first-requests.ts";

/** What the server writes into the document. */
export interface PageInfo {
  readonly surface: "dashboard" | "home";
  readonly publicId: string;
  readonly product: string;
  readonly account: string;
  readonly locale: string | undefined;
  readonly timezone: string | undefined;
  /** Origins of pages that may send messages; empty if the account declares none. */
  readonly allowedOrigins: readonly string[];
}

/** Reads the settings that the document carries. */
export function readPageInfo(content: string, path: string): PageInfo {
  const info = parseObject(content);
  return {
    surface: info["surface"] === "home" ? "home" : "dashboard",
    publicId: publicIdOf(path),
    product: textIn(info, "product") ?? "",
    account: textIn(info, "account") ?? "",
    locale: textIn(info, "locale"),
    timezone: textIn(info, "timezone"),
    allowedOrigins: Array.isArray(info["allowedOrigins"]) ? info["allowedOrigins"].map(String) : [],
  };
}

/** Returns the address of another dashboard with the parameters that the page keeps for its life: all but those of controls. */
export function withPageParameters(path: string, page: URLSearchParams): string {
  const [pathname = "", search] = path.split("?");
  const parameters = new URLSearchParams(search);
  for (const [name, value] of page) {
    if (!/^(?:f|tg|ms|tab|p)_/u.test(name)) parameters.set(name, value);
  }
  return parameters.size === 0 ? pathname : `${pathname}?${parameters.toString()}`;
}

/** What the parameters of the address decide for the life of the page. */
export interface Placement {
  readonly header: boolean;
  readonly title: boolean;
  readonly backButton: boolean;
  readonly exportMenu: boolean;
  /** Whether the address asks for exports; the account and the viewer's rights may still forbid them. */
  readonly allowExport: boolean;
  readonly locale: string | undefined;
  readonly timezone: string | undefined;
}

/** Reads the parameters that say how one placement looks: what hides needs `false`, what grants needs `true`. */
export function readPlacement(parameters: URLSearchParams): Placement {
  const isShown = (name: string) => parameters.get(name) !== "false";
  return {
    header: isShown("showDashboardHeader"),
    title: isShown("showDashboardTitle"),
    backButton: isShown("showDashboardBackButton"),
    exportMenu: isShown("showDashboardExportMenu"),
    allowExport: parameters.get("allowExport") === "true",
    locale: usable(parameters.get("locale"), (name) => Intl.getCanonicalLocales(name)),
    timezone: usableZone(parameters.get("timezone")),
  };
}

/** Returns a time zone that there is; undefined for any other text, so that the next source decides. */
export function usableZone(text: string | null): string | undefined {
  return usable(text, (timeZone) => new Intl.DateTimeFormat("en", { timeZone }));
}

/** Returns a text that a check accepts; undefined for one that it refuses, so that the next source decides. */
function usable(text: string | null, check: (text: string) => unknown): string | undefined {
  if (text === null || text === "") return undefined;
  try {
    check(text);
    return text;
  } catch {
    return undefined;
  }
}

/** The viewer, as the token of the session describes it. */
export interface Viewer {
  readonly userId: string;
  readonly deploymentId: number;
  readonly tenant: string | undefined;
  readonly displayName: string;
  readonly picture: string | undefined;
  readonly mayExport: boolean;
  readonly mayComment: boolean;
  readonly isPrivate: boolean;
  readonly settings: JsonObject;
  readonly embedTheme: string | undefined;
  /** When the token ends, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Reads the claims of a token, which the server verifies with each request. */
export function readClaims(token: string): Viewer {
  const claims = parseObject(decodePart(token.split(".")[1] ?? ""));
  const user = isObject(claims["user"]) ? claims["user"] : {};
  return {
    userId: textIn(claims, "sub") ?? "",
    deploymentId: Number(claims["deploymentId"]),
    tenant: textIn(claims, "tenant"),
    displayName: textIn(user, "displayName") ?? "",
    picture: pictureAddress(textIn(user, "picture")),
    mayExport: claims["mayExport"] === true,
    mayComment: claims["mayComment"] === true,
    isPrivate: claims["isPrivate"] === true,
    settings: isObject(claims["settings"]) ? claims["settings"] : {},
    embedTheme: textIn(claims, "embedTheme"),
    expiresAt: Number(claims["exp"] ?? 0) * 1000,
  };
}

function decodePart(part: string): string {
  const bytes = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)));
}

/** Returns the address of a picture that a page may load; undefined for any other scheme. */
function pictureAddress(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url !== null && ["http:", "https:"].includes(url.protocol) ? url.href : undefined;
}

/** Returns the initials of a name: of its first and its last word. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const first = words[0] ?? "";
  const last = words.length > 1 ? (words.at(-1) ?? "") : "";
  return [first, last].map((word) => Array.from(word)[0]?.toLocaleUpperCase() ?? "").join("");
}

function textIn(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
