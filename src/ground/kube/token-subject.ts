/**
 * The account that a token is for: the claim `sub` of a JSON Web Token (RFC 7519, section 4.1.2), which is not verified here.
 * Undefined if the token is not a JSON Web Token.
 */
export function subjectOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.trim().split('.')[1] ?? '', 'base64url').toString('utf8'))
    if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return undefined
    return typeof claims.sub === 'string' ? claims.sub : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
