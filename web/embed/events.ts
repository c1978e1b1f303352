// What the page of a dashboard tells its host.

/** The payload of each event, by the event's name without `svc:event:`. */
export interface EmbedEvents {
  /** The page knows its viewer. First, and once for each load of the frame. */
  ready: {
    readonly embedTenant?: string;
    readonly deploymentId: number;
    /** `private` if the viewer signed in to the account. */
    readonly mode: "signed" | "private";
    readonly surface: string;
    readonly publicId?: string;
  };
  /** A dashboard is shown. From now on the page takes actions. */
  view: {
    readonly surface: string;
    readonly path: string;
    readonly publicId?: string;
    readonly title?: string;
  };
  navigate: { readonly path: string; readonly previousPath?: string };
  /** Every widget is drawn. */
  "dashboard-loaded": {
    readonly publicId: string;
    readonly widgetCount: number;
    readonly loadDurationMs: number;
  };
  download: {
    readonly format: string;
    readonly target: "widget" | "dashboard";
    readonly widgetId?: string;
    readonly title?: string;
    readonly rowCount?: number;
  };
  drilldown: { readonly member: string; readonly value?: unknown; readonly widgetId?: string };
  /**
   * The page, or `fetchSession`, failed, or the page does not carry out what the host asked for. If it is fatal, a sentence
   * stands in place of the dashboard until a `view`.
   */
  error: { readonly message: string; readonly context?: string; readonly fatal: boolean };
  /** The height of the content in pixels. The frame gets it. */
  resize: { readonly height: number };
  /** The session ends soon or is not usable. `fetchSession` is called. */
  "session-needed": object;
  /** The page accepted another session: failures of the session are over. */
  "session-renewed": object;
}

/** The name of an event. */
export type EmbedEventType = keyof EmbedEvents;

/** An event with its name. */
export type EmbedEvent = {
  [Type in EmbedEventType]: { readonly type: Type; readonly payload: EmbedEvents[Type] };
}[EmbedEventType];
