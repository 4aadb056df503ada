import { startPage } from "../shared/start.tsx";
import { Page } from "./page.tsx";

void startPage(Page);
