import { applyColours } from "./apply-colours.ts";
import { applyMode, readStored } from "./apply-look.ts";
import { directionOf, look, tenantKey } from "./look.ts";
import { readQueryPresets } from "./query-presets.ts";

// Runs in the page's head, before anything is painted: whoever chose dark sees no white, and a preset in the address is
// a setting like any other by the time the console reads them. It is taken off the address, lest a reload undo later choices.
const { stored, rest } = readQueryPresets(location.search);
for (const [key, text] of stored) (key === tenantKey ? sessionStorage : localStorage).setItem(key, text);
if (rest !== null) history.replaceState(history.state, "", location.pathname + rest + location.hash);

applyMode();
applyColours();
const language = readStored(look.locale);
document.documentElement.lang = language;
document.documentElement.dir = directionOf(language, readStored(look.direction));
