// Draws a chart model with ECharts. Each type of chart is a file of its own, loaded when it is needed.
import { useEffect, useRef } from "preact/hooks";
import type { ChartModel } from "../../../charts/index.ts";
import { announce } from "../../ui/announce.ts";

type EchartsModel = Extract<ChartModel, { kind: "echarts" }>;

const types = {
  bar: () => import("../echarts/bar.ts"),
  line: () => import("../echarts/line.ts"),
  scatter: () => import("../echarts/scatter.ts"),
  pie: () => import("../echarts/pie.ts"),
  heatmap: () => import("../echarts/heatmap.ts"),
  funnel: () => import("../echarts/funnel.ts"),
  boxplot: () => import("../echarts/boxplot.ts"),
  sankey: () => import("../echarts/sankey.ts"),
} as const;

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
  const { chart } = model;
  useEffect(() => {
    let isGone = false;
    const load = types[chart];
    void load().then(
      ({ initChart }) => {
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
        onImage(() => instance.getDataURL({ pixelRatio: 2, type: "png", backgroundColor: "#fff" }));
      },
      () => undefined,
    );
    return () => {
      isGone = true;
      onImage(undefined);
      drawn.current?.dispose();
      drawn.current = undefined;
    };
  }, [chart]);
  useEffect(() => {
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
