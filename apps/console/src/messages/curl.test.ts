import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "./curl.ts";

test("a shell hands curl exactly what was sent", () => {
  const body = `{"name": "O'Neil $HOME \`id\` \\n"}\n`;
  const command = curlOf({ method: "POST", url: "https://shop.example/a?b=1&c=2", headers: { authorization: "Bearer ••••" }, body });
  const printed = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\0'")])
    .toString()
    .split("\0");
  expect(printed).toEqual(["-X", "POST", "https://shop.example/a?b=1&c=2", "-H", "authorization: Bearer ••••", "--data-binary", body, ""]);
});
