/** A URL as any reader may see it: a user's name, a password and a query may be secret. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return '(not shown: not a URL)'
  const { protocol, host, pathname, search } = new URL(text)
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
