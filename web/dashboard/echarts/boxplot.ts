// Draws box plots.
import "echarts/lib/chart/boxplot";
