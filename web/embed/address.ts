// The address of a dashboard, with what the page reads from it. Pure.

/** A value of a filter, or a value with its operator. */
export type FilterValue =
  | string
  | number
  | boolean
  | null
  | readonly (string | number)[]
  | { readonly operator: string; readonly value?: unknown };

/** What the address of a dashboard says. */
export interface AddressOptions {
  /** The address of the account, for example `https://acme.example.com`. */
  readonly url: string;
  /** The public ID of the dashboard. */
  readonly publicId: string;
  /** Values for FILTER widgets by the member that they filter, for example `{ "orders.status": "paid" }`. */
  readonly filters?: Readonly<Record<string, FilterValue>> | undefined;
  readonly locale?: string | undefined;
  readonly timezone?: string | undefined;
  /** Other parameters of the address, for example `{ showDashboardHeader: false }`. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Returns the address of a dashboard; without a session, the viewer signs in. Throws for an unusable `url`. */
export function dashboardAddress(options: AddressOptions, session: string | undefined): URL {
  const { url, publicId, filters = {}, locale, timezone, parameters = {} } = options;
  const address = new URL(`/embed/dashboard/${encodeURIComponent(publicId)}`, url);
  if (!/^https?:$/.test(address.protocol))
    throw new TypeError(`url must be an HTTP address: ${url}`);
  const set = (name: string, value: string | number | boolean | undefined): void => {
    if (value !== undefined) address.searchParams.set(name, String(value));
  };
  for (const [name, value] of Object.entries(parameters)) set(name, value);
  for (const [member, value] of Object.entries(filters)) set(`f_${member}`, filterText(value));
  set("locale", locale);
  set("timezone", timezone);
  address.searchParams.delete("session");
  set("session", session);
  return address;
}

/** Returns the parameter of the address that sets a filter; without a value, the one that takes it back. */
export function filterParameter(member: string, value: FilterValue | undefined): string {
  return `f_${member}=${value === undefined ? "" : encodeURIComponent(filterText(value))}`;
}

function filterText(value: FilterValue): string {
  if (value === null) return "null";
  const hasOperator = typeof value === "object" && "operator" in value;
  return JSON.stringify(hasOperator ? value : { value });
}
