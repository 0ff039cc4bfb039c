import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { administrator } from './administrator.ts'

export interface RawReply {
  readonly status: number
  /** Parsed where the content type is JSON; otherwise the text. */
  readonly body: unknown
}

export type RawApi = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<RawReply>

/** The API as the administrator asks it, without any code of ours between: for what a test has to bring about. */
export function rawApi(kubeconfigPath: string): { readonly ask: RawApi; readonly close: () => void } {
  const { server, tls } = administrator(kubeconfigPath)
  const agent = new Agent({ keepAlive: true, maxSockets: 8, ...tls })
  const ask: RawApi = (method, path, body, more = {}) =>
    new Promise((resolve, reject) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const asked = body === undefined ? '' : JSON.stringify(body)
      // Node sends no length for the body of a DELETE, and the server takes that body for the next request of the connection.
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(asked), ...more }
      const sent = request(`${server}${path}`, { method, agent, headers })
      sent.on('error', reject)
      sent.on('response', (reply) => {
        const replyOf = (said: string): RawReply => {
          const isJson = (reply.headers['content-type'] ?? '').startsWith('application/json')
          return { status: reply.statusCode ?? 0, body: isJson ? JSON.parse(said) : said }
        }
        text(reply)
          .then((said) => resolve(replyOf(said)))
          .catch(reject)
      })
      sent.end(asked)
    })
  return { ask, close: () => agent.destroy() }
}
