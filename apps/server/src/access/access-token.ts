import { SignJWT, errors, jwtVerify } from "jose";
import { z } from "zod";

export const accessTokenSeconds = 15 * 60;

const issuer = "crossdock";
const audience = "crossdock-api";
const Claims = z.object({ sub: z.string().regex(/^\d+$/).transform(Number), sid: z.uuid() });

type AccessClaims = { userId: number; sessionId: string };

/** HS256, because the processes that issue tokens are those that check them, and they share the installation's secret. */
export function signAccessToken(key: Buffer, claims: AccessClaims): Promise<string> {
  return new SignJWT({ sid: claims.sessionId })
    .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
    .setSubject(String(claims.userId))
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(`${accessTokenSeconds}s`)
    .sign(key);
}

/**
 * The claims of a valid token; `over` of one that was valid and whose time is over, otherwise null. Algorithm, type, issuer, audience and expiry
 * are all checked (RFC 8725).
 */
export async function readAccessToken(key: Buffer, token: string): Promise<AccessClaims | "over" | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      typ: "at+jwt",
      issuer,
      audience,
      requiredClaims: ["exp", "sub"],
    });
    const claims = Claims.safeParse(payload);
    return claims.success ? { userId: claims.data.sub, sessionId: claims.data.sid } : null;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return "over";
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
