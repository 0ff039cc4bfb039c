import { readPage } from '../../../../ground/net/read-page.ts'
import { type AgentHealth, parseAgentHealth } from './parse-agent-health.ts'

export type AskedAgent = { readonly health: AgentHealth } | { readonly error: string }

/** One GET of an agent's `/healthz`. Rejects only with the signal's reason; any other failure is an answer. */
export async function askAgent(
  { address, port }: { readonly address: string; readonly port: number },
  signal: AbortSignal,
): Promise<AskedAgent> {
  const page = await readPage({ address, port, path: '/healthz' }, signal)
  if ('error' in page) return { error: page.error }
  if (page.status !== 200) return { error: `it answered with status ${page.status}` }
  const health = parseAgentHealth(page.body)
  return health === undefined ? { error: 'what answers is not an agent' } : { health }
}
