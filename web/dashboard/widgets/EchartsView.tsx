// Draws a chart model with ECharts. Each type of chart is a file of its own, loaded when it is needed.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ChartModel } from "../../../charts/index.ts";
import { announce } from "../../ui/announce.ts";
import { t } from "../../ui/i18n/text.ts";
import { type ChartPart, loadCharts } from "../echarts/load.ts";
import { propertyOf } from "../state/theme.ts";

type EchartsModel = Extract<ChartModel, { kind: "echarts" }>;

/** Returns the types of the series of a chart, and whether it has titles, in one text: a combination has several. */
function partsOf({ option }: EchartsModel): string {
  const { series, title } = option as {
    readonly series: readonly { readonly type: string }[];
    readonly title?: unknown;
  };
  const types = [series].flat().map(({ type }) => type);
  return [...new Set(title === undefined ? types : [...types, "title"])].toSorted().join(" ");
}

interface Drawn {
  setOption(option: object, how: { notMerge: boolean }): void;
  resize(): void;
  dispose(): void;
  getDataURL(how: { pixelRatio: number; type: "png"; backgroundColor: string }): string;
  dispatchAction(action: object): void;
  on(event: "click", take: (event: unknown) => void): void;
}

/** Shows a chart. Arrow keys move over its points and speak their values; Enter drills. */
export function EchartsView({
  model,
  onImage,
  onPoint,
}: {
  readonly model: EchartsModel;
  readonly onImage: (read: (() => string | undefined) | undefined) => void;
  readonly onPoint?: (row: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | undefined>(undefined);
  const shown = useRef({ model, onPoint });
  shown.current = { model, onPoint };
  const at = useRef(-1);
  const [hasFailed, setHasFailed] = useState(false);
  const names = partsOf(model);
  useLayoutEffect(() => {
    let isGone = false;
    void loadCharts(names.split(" ") as ChartPart[]).then(
      (initChart) => {
        if (isGone || box.current === null) return;
        const instance: Drawn = initChart(box.current);
        drawn.current = instance;
        instance.setOption(shown.current.model.option, { notMerge: true });
        instance.on("click", (event) => {
          const { seriesIndex, dataIndex } = event as { seriesIndex?: number; dataIndex?: number };
          const point = shown.current.model.points.find(
            (one) => one.seriesIndex === seriesIndex && one.dataIndex === dataIndex,
          );
          if (point?.row !== undefined) shown.current.onPoint?.(point.row);
        });
        const backgroundColor = propertyOf("--card");
        onImage(() => instance.getDataURL({ pixelRatio: 2, type: "png", backgroundColor }));
      },
      () => setHasFailed(true),
    );
    return () => {
      isGone = true;
      onImage(undefined);
      drawn.current?.dispose();
      drawn.current = undefined;
    };
  }, [names]);
  useLayoutEffect(() => {
    drawn.current?.resize();
    drawn.current?.setOption(model.option, { notMerge: true });
  }, [model]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const { points } = model;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined && points.length > 0) {
      event.preventDefault();
      const first = at.current === -1 && step < 0 ? 0 : at.current;
      at.current = (first + step + points.length) % points.length;
      const point = points[at.current];
      if (point === undefined) return;
      const { seriesIndex, dataIndex, label } = point;
      drawn.current?.dispatchAction({ type: "showTip", seriesIndex, dataIndex });
      announce(label);
    } else if (event.key === "Enter") {
      const row = points[at.current]?.row;
      if (row !== undefined) onPoint?.(row);
    } else if (event.key === "Escape") drawn.current?.dispatchAction({ type: "hideTip" });
  };
  if (hasFailed) return <p class="state problem">{t("error.offline")}</p>;
  return (
    <div
      ref={box}
      class="chart-canvas"
      role="img"
      aria-label={model.summary}
      tabIndex={0}
      onKeyDown={onKeyDown}
    />
  );
}
