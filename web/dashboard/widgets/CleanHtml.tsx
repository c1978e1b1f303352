// Markdown or HTML of a dashboard, sanitized. What does that is loaded when a dashboard has such a text.
import { useEffect, useState } from "preact/hooks";

/** Shows a text once it is sanitized; before that, nothing of it. */
export function CleanHtml({
  text,
  language,
}: {
  readonly text: string;
  readonly language: "markdown" | "html";
}) {
  const [html, setHtml] = useState("");
  useEffect(() => {
    let isGone = false;
    void import("./markdown.ts").then(
      ({ cleanHtml, markdownHtml }) => {
        if (!isGone) setHtml(language === "html" ? cleanHtml(text) : markdownHtml(text));
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [text, language]);
  return <div class="text" dangerouslySetInnerHTML={{ __html: html }} />;
}
