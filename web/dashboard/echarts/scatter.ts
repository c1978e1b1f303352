// Draws points.
import "echarts/lib/chart/scatter";
