/** Pixels along each side: what the largest place of an avatar needs on a dense screen. */
const side = 96;

/** Cuts the middle square out of a picture file and answers it as a small PNG in base64. Throws for what is no picture. */
export async function readPicture(file: File): Promise<string> {
  const picture = await createImageBitmap(file);
  const edge = Math.min(picture.width, picture.height);
  const canvas = document.createElement("canvas");
  canvas.width = side;
  canvas.height = side;
  const [left, top] = [(picture.width - edge) / 2, (picture.height - edge) / 2];
  canvas.getContext("2d")?.drawImage(picture, left, top, edge, edge, 0, 0, side, side);
  picture.close();
  return canvas.toDataURL("image/png").replace("data:image/png;base64,", "");
}
