// Draws funnels.
import "echarts/lib/chart/funnel";
