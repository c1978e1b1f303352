// Draws bars.
import "echarts/lib/chart/bar";
