/** Many byte strings as one parameter with positions (from 1) and lengths: arrays of bytea would travel as hex, twice the size. */
export function pack(parts: Buffer[]): { bytes: Buffer; positions: number[]; lengths: number[] } {
  let position = 1;
  const positions = parts.map((part) => {
    const own = position;
    position += part.length;
    return own;
  });
  return { bytes: Buffer.concat(parts), positions, lengths: parts.map((part) => part.length) };
}
