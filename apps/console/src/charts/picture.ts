import type { Series } from "./series.ts";

/** What stands around the plot, so that it tells by itself what it shows, wherever it is pasted. */
type Caption = { title: string; lines: string[]; series: readonly Pick<Series, "label" | "colour" | "dash">[] };

/** In CSS pixels, as the plot is. */
const edge = 16;
const rowHeight = 20;
const swatch = 24;
const gap = 8;

/** A picture of a plot with its caption above and its legend below, on the theme's ground. The texts run as the page's language does. */
export function pictureOf(plot: HTMLCanvasElement, { title, lines, series }: Caption): HTMLCanvasElement {
  const style = getComputedStyle(plot);
  const colour = (name: string): string => style.getPropertyValue(name);
  // The chart's own sheet gives the plot another one.
  const { fontFamily } = getComputedStyle(document.body);
  const [bold, plain] = [`600 16px ${fontFamily}`, `13px ${fontFamily}`];
  const ratio = plot.width / plot.clientWidth;
  const width = plot.clientWidth + 2 * edge;
  const picture = document.createElement("canvas");
  const pen = picture.getContext("2d");
  if (!pen) return picture;

  const broken = (font: string, text: string): { font: string; text: string }[] => {
    pen.font = font;
    return linesOf(pen, text, width - 2 * edge).map((line) => ({ font, text: line }));
  };
  const head = [...broken(bold, title), ...lines.flatMap((line) => broken(plain, line))];
  pen.font = plain;
  const names = placed(pen, series, width - 2 * edge);
  const plotTop = edge + head.length * rowHeight + gap;
  const legendTop = plotTop + plot.clientHeight + gap;
  const height = legendTop + ((names.at(-1)?.row ?? -1) + 1) * rowHeight + edge;

  picture.width = Math.round(width * ratio);
  picture.height = Math.round(height * ratio);
  pen.scale(ratio, ratio);
  pen.fillStyle = colour("--paper");
  pen.fillRect(0, 0, width, height);
  const isRightToLeft = document.dir === "rtl";
  /** From the side where lines begin. */
  const place = (start: number): number => (isRightToLeft ? width - edge - start : edge + start);
  pen.direction = isRightToLeft ? "rtl" : "ltr";
  pen.textAlign = "start";
  pen.textBaseline = "middle";
  head.forEach(({ font, text }, index) => {
    pen.font = font;
    pen.fillStyle = colour(font === bold ? "--ink" : "--muted");
    pen.fillText(text, place(0), edge + (index + 0.5) * rowHeight);
  });
  pen.drawImage(plot, edge, plotTop, plot.clientWidth, plot.clientHeight);
  pen.font = plain;
  pen.fillStyle = colour("--ink");
  pen.lineWidth = 3;
  for (const { label, colour: ink, dash, row, start } of names) {
    const middle = legendTop + (row + 0.5) * rowHeight;
    pen.strokeStyle = ink;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(place(start), middle);
    pen.lineTo(place(start + swatch), middle);
    pen.stroke();
    pen.fillText(label, place(start + swatch + gap), middle);
  }
  return picture;
}

/** A text in lines that fit; a word longer than a line has one of its own. */
function linesOf(pen: CanvasRenderingContext2D, text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`;
    if (lines.length > 0 && pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Where each name of the legend stands: side by side as far as they fit. */
function placed<Line extends { label: string }>(pen: CanvasRenderingContext2D, series: readonly Line[], width: number) {
  let [row, start] = [0, 0];
  return series.map((line) => {
    const wide = swatch + gap + pen.measureText(line.label).width;
    if (start > 0 && start + wide > width) [row, start] = [row + 1, 0];
    const found = { ...line, row, start };
    start += wide + 2 * gap;
    return found;
  });
}
