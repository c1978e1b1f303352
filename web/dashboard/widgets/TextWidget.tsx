// A text in Markdown. HTML in it is text, and what Markdown makes of it is sanitized.
import { textOf } from "../state/widgets.ts";
import { CleanHtml } from "./CleanHtml.tsx";
import type { WidgetProps } from "./widget-props.ts";

/** Shows a text. */
export function TextWidget({ widget: { config } }: WidgetProps) {
  const text =
    ["text", "content", "markdown", "title"].map((name) => textOf(config[name])).find(Boolean) ??
    "";
  return <CleanHtml text={text} language="markdown" />;
}
