import { verdictOfStatus } from "./answers.ts";
import { type Dead, type OutboundRequest, type Retry, type TargetResponse, type Verdict, dead } from "./connector.ts";
import { notUnderstood } from "./json-call.ts";
import { type XmlElement, XmlFault, elementsOf, readXml } from "./xml.ts";

type SoapCall = {
  url: string;
  version: "1.1" | "1.2";
  header?: string;
  /** The operation's element with its namespace. */
  body: string;
  headers?: Record<string, string>;
  secretHeaders?: readonly string[];
};

const namespaces = { "1.1": "http://schemas.xmlsoap.org/soap/envelope/", "1.2": "http://www.w3.org/2003/05/soap-envelope" } as const;

export function soapRequest(
  { url, version, header = "", body, headers, secretHeaders = [] }: SoapCall,
  read: (answer: XmlElement) => Verdict,
): OutboundRequest {
  return {
    method: "POST",
    url,
    headers: {
      "content-type": version === "1.1" ? "text/xml; charset=utf-8" : "application/soap+xml; charset=utf-8",
      ...(version === "1.1" ? { soapaction: '""' } : {}),
      ...headers,
    },
    body: `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="${namespaces[version]}"><s:Header>${header}</s:Header><s:Body>${body}</s:Body></s:Envelope>`,
    secretHeaders,
    read: (response) => judgeSoap(response, read),
  };
}

/** A fault mostly comes with status 500 whatever its reason, so its text decides, not the status. */
export function judgeSoap<Result>(response: TargetResponse, read: (answer: XmlElement) => Result): Result | Retry | Dead {
  let answer: XmlElement;
  try {
    answer = readXml(response.body);
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error;
    const verdict = verdictOfStatus(response);
    return verdict.kind === "retry" || verdict.kind === "dead" ? verdict : notUnderstood("XML", response.body);
  }
  if (answer.name !== "Envelope") return notUnderstood("SOAP", response.body);
  const fault = elementsOf(answer, "Fault")[0];
  if (!fault) {
    const verdict = verdictOfStatus(response);
    return verdict.kind === "retry" || verdict.kind === "dead" ? verdict : read(answer);
  }
  const texts = ["faultstring", "message", "Text"].flatMap((name) => elementsOf(fault, name).map(({ text }) => text.trim()));
  const message =
    texts
      .filter((text) => text !== "")
      .join(": ")
      .slice(0, 500) || "a fault without a text";
  if (response.status === 401) return { kind: "retry", error: { class: "http-401", message }, isTargetFault: true };
  if (response.status === 429 || /rate limit|too many|time-?out|temporar|deadlock|unavailable/i.test(message)) {
    return { kind: "retry", error: { class: "soap-fault", message }, isTargetFault: true };
  }
  return dead("soap-fault", message);
}
