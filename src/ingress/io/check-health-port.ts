import { readPage } from '../../ground/net/read-page.ts'
import type { HealthCheck } from '../../service/ports/agents.ts'

/** One health check, as a load balancer does it. Rejects with the signal's reason alone; whatever else happens is an answer. */
export async function checkHealthPort(
  at: { readonly address: string; readonly port: number },
  signal: AbortSignal,
): Promise<HealthCheck> {
  const page = await readPage({ ...at, path: '/nodecheck?dialect=plain' }, signal)
  if ('error' in page) return ofError(page.code)
  return page.status === 200 ? 'up' : 'out'
}

/** `HPE_…`: Node's parser of HTTP. An empty code: an answer without an end. */
function ofError(code: string): HealthCheck {
  if (code === 'ECONNREFUSED') return 'out'
  return code === 'ECONNRESET' || code === '' || code.startsWith('HPE_') ? 'foreign' : 'unheard'
}
