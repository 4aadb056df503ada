/** Shopify's leaky bucket: each request adds a drop, drops leak out steadily, a full bucket refuses. */
export class Bucket {
  #level = 0;
  #at = performance.now();

  /** Whether there was room, and what the header X-Shopify-Shop-Api-Call-Limit says. */
  add({ size, leakPerSecond }: { size: number; leakPerSecond: number }): { isFull: boolean; limitHeader: string } {
    const now = performance.now();
    this.#level = Math.max(0, this.#level - ((now - this.#at) / 1000) * leakPerSecond);
    this.#at = now;
    const isFull = this.#level + 1 > size;
    if (!isFull) this.#level += 1;
    return { isFull, limitHeader: `${Math.ceil(this.#level)}/${size}` };
  }
}
