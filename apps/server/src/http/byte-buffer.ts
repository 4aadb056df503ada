/** Bytes that come in pieces, copied together: a piece of a single byte, kept by itself, takes a hundred times as much. */
export class ByteBuffer {
  private room: Buffer = Buffer.alloc(0);
  private length = 0;

  append(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.room.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.room.length));
      this.room.copy(larger, 0, 0, this.length);
      this.room = larger;
    }
    piece.copy(this.room, this.length);
    this.length = length;
  }

  /** All that came since the last call, for the caller to keep. */
  take(): Buffer {
    const taken = this.room.subarray(0, this.length);
    this.room = Buffer.alloc(0);
    this.length = 0;
    return taken;
  }
}
