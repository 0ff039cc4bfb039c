/** Options of a proxy that can lose requests in a roll, and that the runtime API does not show. `words`: of one line of haproxy.cfg. */
export function unseenOption(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words
  if (first === 'option' && second === 'persist') return SENT_IN_MAINT
  if (first === 'force-persist') return SENT_IN_MAINT
  if (first === 'http-reuse' && second === 'never') return PRIVATE_CONNECTIONS
  const at = SERVER_LINES.has(first) ? words.indexOf('on-marked-down') : -1
  return at > -1 && words[at + 1] === 'shutdown-sessions' ? CUTS_SESSIONS : undefined
}

const SERVER_LINES: ReadonlySet<string> = new Set(['server', 'server-template', 'default-server'])

const SENT_IN_MAINT =
  'HAProxy sends clients with a cookie even to a server in maint, so a roll would hold with StillSent; take this line out'

const PRIVATE_CONNECTIONS =
  'HAProxy keeps a connection to a server for each client, which no counter shows; after the reboot it is dead, and the next request over it fails; use "http-reuse safe"'

const CUTS_SESSIONS =
  'where cookies or a stick table bind clients to servers, a roll sets maint, and this option cuts the requests under way; take it out'
