import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { createInterface } from 'node:readline'

export interface Watched {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: unknown
}

/** Watches one collection as the administrator, without any code of the roll between. Ends when the signal says so. */
export async function watchApi(
  { kubeconfig, path }: { readonly kubeconfig: string; readonly path: string },
  take: (event: Watched) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8'))
  const pem = (data: string): Buffer => Buffer.from(data, 'base64')
  const agent = new Agent({
    ca: pem(clusters[0].cluster['certificate-authority-data']),
    cert: pem(users[0].user['client-certificate-data']),
    key: pem(users[0].user['client-key-data']),
  })
  const sent = request(`${clusters[0].cluster.server}${path}?watch=1&resourceVersion=0`, { agent, signal })
  sent.end()
  try {
    const [reply] = await once(sent, 'response')
    for await (const line of createInterface({ input: reply })) take(JSON.parse(line) as Watched)
    if (!signal.aborted) throw new Error(`the API server ended the watch of ${path}`)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    agent.destroy()
  }
}
