import { Agent, type RequestOptions, request } from 'node:https'
import { apiPort, hubAddress } from '../addresses.ts'
import type { KeyedCertificate } from '../pki/authority.ts'

interface ApiAnswer {
  readonly status: number
  readonly text: string
}

/** The rack's own line to its API server, as the cluster's administrator. */
export interface ApiClient {
  get(path: string): Promise<ApiAnswer>
  /** Creates an object; one that exists already is left as it is. */
  create(path: string, object: object): Promise<void>
  /** A strategic merge patch. */
  patch(path: string, change: object): Promise<void>
}

const LIMIT_MS = 5_000

export function apiClient(authorityPem: string, user: KeyedCertificate): ApiClient {
  const agent = new Agent({ keepAlive: true, ca: authorityPem, cert: user.certificatePem, key: user.keyPem })
  const where = { host: hubAddress, port: apiPort, agent, timeout: LIMIT_MS }
  return {
    get: (path) => ask({ ...where, path }),
    async create(path, object) {
      const headers = { 'content-type': 'application/json' }
      const { status, text } = await ask({ ...where, path, method: 'POST', headers }, JSON.stringify(object))
      if (status >= 300 && status !== 409) throw new Error(`POST ${path} answered ${status}: ${text.slice(0, 400)}`)
    },
    async patch(path, change) {
      const headers = { 'content-type': 'application/strategic-merge-patch+json' }
      const { status, text } = await ask({ ...where, path, method: 'PATCH', headers }, JSON.stringify(change))
      if (status >= 300) throw new Error(`PATCH ${path} answered ${status}: ${text.slice(0, 400)}`)
    },
  }
}

function ask(options: RequestOptions, body?: string): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    asked.on('error', reject)
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${LIMIT_MS} ms`)))
    asked.end(body)
  })
}
