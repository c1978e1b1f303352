// Large numbers with what they are compared with.
import { type NumberModel, sparklinePoints, sparklineSize } from "../../../charts/index.ts";
import { t } from "../../ui/i18n/text.ts";

const arrows = { up: "▲", down: "▼", same: "=" } as const;

/** Shows numbers in their places. Screen readers get labels that have no room. */
export function NumbersView({ numbers }: { readonly numbers: readonly NumberModel[] }) {
  return (
    <div class="numbers">
      {numbers.map(
        (
          { label, hasLabel, text, size, title, unit, box, comparison, sparkline: values },
          index,
        ) => (
          <div
            key={index}
            class="number"
            style={{
              left: `${box.x}px`,
              top: `${box.y}px`,
              width: `${box.width}px`,
              height: `${box.height}px`,
            }}
          >
            <div class="number-value" style={{ fontSize: `${size}px` }} title={title}>
              {text}
              {unit}
            </div>
            <div class={hasLabel ? "number-label" : "visually-hidden"} title={label}>
              {label}
            </div>
            {comparison !== undefined && (
              <div class={`number-comparison ${toneOf(comparison.isGood)}`}>
                <span aria-hidden="true">{arrows[comparison.direction]} </span>
                {comparison.text} {t("chart.compared", { with: comparison.with })}
              </div>
            )}
            {values.length > 1 && <Sparkline values={values} />}
          </div>
        ),
      )}
    </div>
  );
}

function toneOf(isGood: boolean | undefined): string {
  return isGood === undefined ? "" : isGood ? "good" : "bad";
}

function Sparkline({ values }: { readonly values: readonly number[] }) {
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${sparklineSize.width} ${sparklineSize.height}`}
      aria-hidden="true"
    >
      <polyline points={sparklinePoints(values, sparklineSize)} />
    </svg>
  );
}
