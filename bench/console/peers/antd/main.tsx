import "antd/dist/reset.css";
import { startPage } from "../shared/start.tsx";
import { Page } from "./page.tsx";

void startPage(Page);
