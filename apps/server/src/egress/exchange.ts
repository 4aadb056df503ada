import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { ByteBuffer } from "../http/byte-buffer.ts";
import { singleHeaders } from "../masking/headers.ts";
import { answerText } from "./answer-text.ts";
import { EgressError, toEgressError } from "./egress-error.ts";

export type EgressAnswer = { status: number; headers: Record<string, string>; body: string };

/** An honest server sends a handful; endless ones would keep the process busy until the timeout. */
const interimAnswersMax = 100;

/**
 * One request and its whole answer. It takes undici's events directly: an answer with a size cap needs no stream, and streams and
 * abort controllers for each request are a large part of what a delivery costs.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  private readonly resolve: (answer: EgressAnswer) => void;
  private readonly reject: (error: EgressError) => void;
  private readonly signal: AbortSignal | undefined;
  private readonly statusDecides: boolean;
  private readonly timer: NodeJS.Timeout;
  private interimAnswers = 0;
  private readonly body = new ByteBuffer();
  private controller: Dispatcher.DispatchController | undefined;
  private stopped: EgressError | undefined;
  private status = 0;
  private headers: Record<string, string> = {};

  constructor(
    resolve: (answer: EgressAnswer) => void,
    reject: (error: EgressError) => void,
    totalTimeoutMs: number,
    signal: AbortSignal | undefined,
    statusDecides = false,
  ) {
    this.resolve = resolve;
    this.reject = reject;
    this.signal = signal;
    this.statusDecides = statusDecides;
    this.timer = setTimeout(() => this.stop(new EgressError("timeout", `No complete answer within ${totalTimeoutMs} ms.`)), totalTimeoutMs);
    signal?.addEventListener("abort", this.onAbort, { once: true });
    if (signal?.aborted) this.onAbort();
  }

  private readonly onAbort = (): void => this.stop(new EgressError("aborted", "The delivery was stopped before its answer was read."));

  /** Ends the exchange whatever its state: one that still waits for a connection is ended when it gets one. */
  private stop(reason: EgressError): void {
    this.stopped ??= reason;
    this.controller?.abort(reason);
    this.fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.stopped) controller.abort(this.stopped);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Interim answers (1xx) come before the real one.
    if (status < 200) this.interimAnswers += 1;
    if (this.interimAnswers > interimAnswersMax) {
      return this.stop(new EgressError("answer-malformed", `More than ${interimAnswersMax} interim answers came.`));
    }
    this.status = status;
    this.headers = singleHeaders(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body.append(chunk);
  }

  onResponseEnd(): void {
    const { status, headers } = this;
    try {
      // Of a refusal the status counts, however its page is written.
      const body = answerText(this.body.take(), headers["content-type"], status >= 300);
      this.end();
      this.resolve({ status, headers, body });
    } catch (error) {
      this.fail(toEgressError(error));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(toEgressError(error));
  }

  private fail(error: EgressError): void {
    const { status, headers } = this;
    this.end();
    if (this.statusDecides && status >= 200) this.resolve({ status, headers, body: "" });
    else this.reject(error);
  }

  private end(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener("abort", this.onAbort);
  }
}
