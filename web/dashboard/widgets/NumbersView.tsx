// Large numbers with what they are compared with.
import type { NumberModel } from "../../../charts/index.ts";
import { t } from "../../ui/i18n/text.ts";

const arrows = { up: "▲", down: "▼", same: "=" } as const;
const sparkline = { width: 120, height: 28 };

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
  const { width, height } = sparkline;
  const least = Math.min(...values);
  const span = Math.max(...values) - least || 1;
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * width;
    const y = height - 2 - ((value - least) / span) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polyline points={points.join(" ")} />
    </svg>
  );
}
