/** The stream's parts as they come; who stops asking ends it. Not every browser can iterate a stream: Safari can't. */
export async function* readStream<Part>(stream: ReadableStream<Part>): AsyncGenerator<Part> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel();
  }
}
