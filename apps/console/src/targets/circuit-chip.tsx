import type { Queue } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { Chip } from "../ui/chip.tsx";
import { useFaultSaying } from "./circuit-fault.ts";

/** Whether a queue's target is left alone, or tried again; its tooltip tells how it fails. */
export function CircuitChip({ circuit, circuitFault }: Pick<Queue, "circuit" | "circuitFault">) {
  const t = useText();
  const say = useFaultSaying();
  if (circuit === "closed") return null;
  return (
    <Chip tone={circuit === "open" ? "bad" : "warn"} title={circuitFault ? say(circuitFault) : undefined}>
      {t(circuit === "open" ? "queue.circuitOpen" : "queue.circuitHalfOpen")}
    </Chip>
  );
}
