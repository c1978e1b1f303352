// The page of a viewer: a published dashboard, or the home with all dashboards.
import { render } from "preact";
import "../ui/tokens.css";

const root = document.getElementById("app");
if (root) render(<main />, root);
