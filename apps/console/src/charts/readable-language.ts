/**
 * uPlot asks for the numbers of the browser's language when it is loaded, and can't be loaded where that is none, such as the "C" of a system without
 * one. The console writes the charts' numbers itself.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en" });
}
