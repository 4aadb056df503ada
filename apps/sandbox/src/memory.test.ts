import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Memory } from "./memory.ts";

test("what can't be kept once, as on a full disk, is kept a minute later", () => {
  vi.useFakeTimers();
  const said = vi.spyOn(console, "error").mockReturnValue();
  const dir = mkdtempSync(join(tmpdir(), "memory-"));
  const inTheWay = join(dir, "data");
  writeFileSync(inTheWay, "");
  const memory = new Memory(join(inTheWay, "sandbox"));
  try {
    memory.startKeeping();
    expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("can't be kept"));
    rmSync(inTheWay);
    vi.advanceTimersByTime(60_000);
    expect(existsSync(join(inTheWay, "sandbox"))).toBe(true);
  } finally {
    memory.stopKeeping();
    rmSync(dir, { recursive: true });
    vi.useRealTimers();
    said.mockRestore();
  }
});
