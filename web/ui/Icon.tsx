// Icons, drawn in the color of the text.

const paths = {
  back: "M15 5l-7 7 7 7",
  refresh: "M20 12a8 8 0 1 1-2.3-5.7M20 4v4h-4",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  export: "M12 4v11m0 0l-4-4m4 4l4-4M5 20h14",
  down: "M6 9l6 6 6-6",
  comment: "M4 5h16v11H9l-5 4z",
} as const;

/** Shows an icon that says nothing to screen readers: its button has a label. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
