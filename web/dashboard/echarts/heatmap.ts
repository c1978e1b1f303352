// Draws heatmaps.
import "echarts/lib/chart/heatmap";
import "echarts/lib/component/visualMap";
