/** A URL without user name, password and query, which may be secret. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return '(not shown: not a URL)'
  const { protocol, host, pathname, search } = new URL(text)
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`
}
