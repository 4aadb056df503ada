/** Hands the content to the browser, which saves it under the name. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Safari begins to read it only after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
