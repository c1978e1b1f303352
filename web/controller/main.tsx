// The page of a controller: its sources with their health, and of each the plan, the history and what one may do.
import { render } from "preact";
import "../ui/tokens.css";
import "../ui/components.css";
import "./controller.css";
import { Page } from "./Page.tsx";
import { onAddress, start } from "./store.ts";

start();
const root = document.getElementById("app");
if (root !== null) render(<Page />, root);
window.addEventListener("hashchange", onAddress);
