import { DATA_PORT } from './node-ingress.ts'

export const CHECK_PORT = 8_080
export const AGENT_CHECK_PORT = 8_082
/** Where the article's program answers, which tells by its words alone whether a node is well. */
export const ARTICLE_PORT = 8_090
const FRONT_PORT = 18_080

/** How one backend of a balancer asks whether a node is well, by the agent's dialect. */
export type Dialect = 'plain' | 'disable-on-404' | 'agent-check' | 'article'

const TIMES = 'inter 1s fall 3 rise 2'
const LINES: Readonly<Record<Dialect, { readonly option: string; readonly server: string }>> = {
  plain: { option: 'option httpchk GET /nodecheck', server: `check port ${CHECK_PORT} ${TIMES}` },
  'disable-on-404': {
    option: 'option httpchk GET /nodecheck?dialect=disable-on-404\n  http-check disable-on-404',
    server: `check port ${CHECK_PORT} ${TIMES}`,
  },
  'agent-check': {
    option: 'option tcp-check',
    server: `check ${TIMES} agent-check agent-port ${AGENT_CHECK_PORT} agent-inter 1s`,
  },
  article: {
    option: 'option httpchk GET /nodecheck\n  http-check expect string OK',
    server: `check port ${ARTICLE_PORT} ${TIMES}`,
  },
}

export const frontOf = (index: number): string => `http://127.0.0.1:${FRONT_PORT + index}/`

export interface Fronts {
  readonly dialects: readonly Dialect[]
  /** Connections to servers end with their request; else they are kept, also to servers that are down. */
  readonly closes?: boolean
}

/** A HAProxy that nobody asks anything: a front for each backend, and checks for all it knows. */
export function checkingHaproxy(addresses: readonly string[], { dialects, closes = false }: Fronts): string {
  const parts = dialects.map((dialect, i) => {
    const { option, server } = LINES[dialect]
    const servers = addresses.map((address, n) => `  server n${n + 1} ${address}:${DATA_PORT} ${server}\n`)
    return `frontend front-${i}\n  bind 127.0.0.1:${FRONT_PORT + i}\n  default_backend back-${i}\nbackend back-${i}\n  ${option}\n${servers.join('')}`
  })
  return `global
  stats socket @SOCKET@ mode 600 level admin
defaults
  mode http${closes ? '\n  option http-server-close' : ''}
  timeout connect 1s
  timeout client 30s
  timeout server 10s
${parts.join('')}`
}
