import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loopbackPem, lyingProviderClient, startLyingProvider, type Lies, type LyingProvider } from "./testing.ts";

let provider: LyingProvider;
let client: ReturnType<typeof lyingProviderClient>;
beforeAll(async () => {
  provider = await startLyingProvider();
  client = lyingProviderClient(provider);
});
afterAll(async () => {
  await client.close();
  provider.close();
});

const refused = { code: "provider-refused" };
const minutesAgo = (minutes: number): number => Math.floor(Date.now() / 1000) - minutes * 60;

test("an ID token of the issuer, for this client, with the nonce and within its time proves somebody", async () => {
  expect(await client.signIn({})).toEqual({ issuer: provider.issuer, subject: "somebody", email: null, name: null, groups: [] });
});

test.each<[string, Lies]>([
  ["that another key has signed", { isSignedByAnother: true }],
  ["of another issuer", { claims: { iss: "https://elsewhere.example.com" } }],
  ["for another client", { claims: { aud: "another" } }],
  ["for several clients, asked for by another", { claims: { aud: ["crossdock", "another"], azp: "another" } }],
  ["with another sign-in's nonce", { claims: { nonce: "another" } }],
  ["without a nonce", { claims: { nonce: undefined } }],
  ["that has run out", { claims: { iat: minutesAgo(10), exp: minutesAgo(5) } }],
  ["that never runs out", { claims: { exp: undefined } }],
  ["that holds later only", { claims: { nbf: minutesAgo(-5) } }],
  ["about nobody", { claims: { sub: undefined } }],
  ["about somebody without a name", { claims: { sub: "" } }],
])("an ID token %s proves nothing", async (_, lies) => {
  await expect(client.signIn(lies)).rejects.toMatchObject(refused);
});

const email = "Nora@Example.com";

test.each([undefined, false, "false"])("an address whose email_verified is %j is nobody's", async (verified) => {
  expect((await client.signIn({ claims: { email, email_verified: verified } })).email).toBeNull();
});

test.each([true, "true"])("an address whose email_verified is %j is the person's, in small letters", async (verified) => {
  expect((await client.signIn({ claims: { email, email_verified: verified } })).email).toBe("nora@example.com");
});

const asked = (userInfo: object, claims = {}): Lies => ({ userinfo_endpoint: `${provider.issuer}/userinfo`, userInfo, claims });

test("an address that only the userinfo endpoint tells counts as verified where that says so, and about the person of the ID token", async () => {
  const told = { sub: "somebody", email };
  const another = lyingProviderClient(provider);
  expect((await another.signIn(asked({ ...told, email_verified: true }))).email).toBe("nora@example.com");
  expect((await another.signIn(asked(told))).email).toBeNull();
  await expect(another.signIn(asked({ ...told, sub: "another", email_verified: true }))).rejects.toMatchObject(refused);
  await another.close();
});

test("the userinfo endpoint, which signs nothing, does not change an address that the ID token tells", async () => {
  const another = lyingProviderClient(provider);
  const lies = asked({ sub: "somebody", email: "admin@example.com", email_verified: true }, { email, email_verified: false });
  expect((await another.signIn(lies)).email).toBeNull();
  await another.close();
});

test("a description in another issuer's name is not believed, nor kept", async () => {
  const another = lyingProviderClient(provider);
  await expect(another.signIn({ issuer: "https://elsewhere.example.com" })).rejects.toMatchObject({ code: "unavailable" });
  expect(await another.signIn({})).toMatchObject({ subject: "somebody" });
  await another.close();
});

test("a provider that is reached over TLS is asked for nothing without it", async () => {
  const trusted = getCACertificates();
  setDefaultCACertificates([...trusted, loopbackPem]);
  const secure = await startLyingProvider(true);
  onTestFinished(() => {
    secure.close();
    setDefaultCACertificates(trusted);
  });
  const { plainUrl } = secure;
  const about = { userinfo_endpoint: `${secure.issuer}/userinfo`, userInfo: { sub: "somebody", email, email_verified: true } };
  const signIn = async (lies: Lies) => {
    const another = lyingProviderClient(secure);
    try {
      return await another.signIn({ ...about, ...lies });
    } finally {
      await another.close();
    }
  };
  expect((await signIn({})).email).toBe("nora@example.com");
  for (const lies of [
    { token_endpoint: `${plainUrl}/token` },
    { jwks_uri: `${plainUrl}/jwks` },
    { userinfo_endpoint: `${plainUrl}/userinfo` },
  ])
    await expect(signIn(lies)).rejects.toMatchObject(refused);
});
