import { useEffect, useState } from "react";
import { request } from "../api/connection.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";

type ProviderButtonsProps = { providers: { id: string; name: string }[] };

/** Ways to sign in elsewhere. They lead away from the console, which goes on at /redirect. */
export default function ProviderButtons({ providers }: ProviderButtonsProps) {
  const t = useText();
  const [busyId, setBusyId] = useState<string | null>(null);
  const [isRefused, setIsRefused] = useState(false);
  // Who turns back there may find this page as it was left.
  useEffect(() => {
    const comeBack = () => setBusyId(null);
    addEventListener("pageshow", comeBack);
    return () => removeEventListener("pageshow", comeBack);
  }, []);

  async function leave(id: string): Promise<void> {
    setBusyId(id);
    setIsRefused(false);
    try {
      const remember = document.querySelector<HTMLInputElement>("input[name=remember]")?.checked ?? false;
      const body = JSON.stringify({ remember });
      const response = await request(`/api/v1/session/providers/${id}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      if (!response.ok) throw new Error(String(response.status));
      const { url }: { url: string } = await response.json();
      location.assign(url);
    } catch {
      setIsRefused(true);
      setBusyId(null);
    }
  }

  return (
    <div className="mt-4 grid gap-2 border-t border-line pt-4">
      {providers.map(({ id, name }) => (
        <Button key={id} isBusy={busyId === id} className="min-h-11" onClick={() => void leave(id)}>
          {t("signIn.with", { provider: name })}
        </Button>
      ))}
      {isRefused && (
        <p role="alert" className="text-bad">
          {t("error.generic")}
        </p>
      )}
    </div>
  );
}
