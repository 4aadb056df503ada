import { mergeConfig } from "vite";
import consoleConfig from "../../../apps/console/vite.config.ts";

// The console's own build, texts and all; only React must be one with the kits' React.
export default mergeConfig(consoleConfig, { resolve: { dedupe: ["react", "react-dom"] } });
