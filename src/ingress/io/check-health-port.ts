import { readPage } from '../../ground/net/read-page.ts'

/** One health check, as a load balancer does it. Rejects with the signal's reason alone; whatever else happens is an answer. */
export async function checkHealthPort(
  at: { readonly address: string; readonly port: number },
  signal: AbortSignal,
): Promise<'up' | 'out' | 'unheard'> {
  const page = await readPage({ ...at, path: '/nodecheck?dialect=plain' }, signal)
  if ('error' in page) return page.code === 'ECONNREFUSED' ? 'out' : 'unheard'
  return page.status === 200 ? 'up' : 'out'
}
