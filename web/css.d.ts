declare module "*.css";
declare module "echarts/lib/*";
