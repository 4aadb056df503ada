import type { AnswerOf, Routes } from "@crossdock/contract";
import { useEffect, useState } from "react";
import { onceReachable, request } from "../api/connection.ts";

type Options = AnswerOf<Routes["getSignInOptions"]>;

const none: Options = { isSignUpOpen: false, isMailed: true, providers: [] };
let asked: Promise<Options | null> | undefined;

/** What the installation offers besides the password. Asked once; until it is known, and when it can't be, nothing. */
export function useSignInOptions(): Options {
  const [options, setOptions] = useState(none);
  useEffect(() => {
    let isCurrent = true;
    asked ??= onceReachable(ask);
    void asked.then((known) => {
      if (known === null) asked = undefined;
      else if (isCurrent) setOptions(known);
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  return options;
}

async function ask(): Promise<Options> {
  const response = await request("/api/v1/sign-in-options");
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}
