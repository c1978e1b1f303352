// Draws pies and donuts.
import "echarts/lib/chart/pie";
