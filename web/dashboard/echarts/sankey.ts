// Draws sankey diagrams.
import "echarts/lib/chart/sankey";
