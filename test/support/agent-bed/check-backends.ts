import { type BackendOnPage, haproxyOnPage } from '../haproxy-on-page.ts'
import { DATA_PORT } from './node-ingress.ts'

export const AGENT_CHECK_PORT = 8_082
/** Where the article's program answers, which tells by its words alone whether a node is well. */
export const ARTICLE_PORT = 8_090
const FRONT_PORT = 18_080

/** How one backend of a balancer asks whether a node is well, by the agent's dialect. */
type Dialect = 'plain' | 'disable-on-404' | 'agent-check' | 'article' | 'data'

const ON_PAGE = haproxyOnPage()
const ARTICLE: BackendOnPage = {
  options: '  option httpchk GET /nodecheck\n  http-check expect string OK',
  server: `check port ${ARTICLE_PORT} inter 2s fall 3 rise 2`,
}

/** The balancer asks what it sends to, and the agents nothing. */
const DATA: BackendOnPage = {
  options: '  option httpchk GET /readyz',
  server: 'check inter 2s fall 3 rise 2',
}

function backendOf(dialect: Dialect, isQuick: boolean): BackendOnPage {
  const found = dialect === 'article' ? ARTICLE : dialect === 'data' ? DATA : ON_PAGE[dialect]
  if (found === undefined) throw new Error(`docs/agent.md shows no backend ${dialect}`)
  return isQuick ? { ...found, server: found.server.replaceAll('inter 2s', 'inter 1s') } : found
}

export const frontOf = (index: number): string => `http://127.0.0.1:${FRONT_PORT + index}/`

export interface Fronts {
  readonly dialects: readonly Dialect[]
  /** Connections to servers end with their request; else they are kept, also to servers that are down. */
  readonly closes?: boolean
  /** Asked as often as the page says, and not twice as often: an answer may take two seconds. */
  readonly asOnPage?: boolean
}

/** A HAProxy that no program asks anything: a front for each backend, and checks for all it knows. */
export function checkingHaproxy(
  addresses: readonly string[],
  { dialects, closes = false, asOnPage = false }: Fronts,
): string {
  const parts = dialects.map((dialect, i) => {
    const { options, server } = backendOf(dialect, !asOnPage)
    const servers = addresses.map((address, n) => `  server n${n + 1} ${address}:${DATA_PORT} ${server}\n`)
    return `frontend front-${i}\n  bind 127.0.0.1:${FRONT_PORT + i}\n  default_backend back-${i}\nbackend back-${i}\n${options}\n${servers.join('')}`
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
