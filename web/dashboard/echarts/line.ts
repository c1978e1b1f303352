// Draws lines and areas.
import "echarts/lib/chart/line";
