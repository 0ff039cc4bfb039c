import { once } from 'node:events'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { type KeyedCertificate, newAuthority } from '../../../testbed/pki/authority.ts'
import { aProxy, aSocksProxy, type WatchedProxy } from '../../ground/kube/tunnels.ts'

/** What one request brought to an API server. */
export interface Arrival {
  readonly server: string
  /** What stands before the path of the API. */
  readonly prefix: string
  /** Of a request that has one in its path. */
  readonly namespace: string | undefined
  readonly authorization: readonly string[]
  /** In the order of their names. */
  readonly impersonation: readonly string[]
  /** Whose client certificate was shown. */
  readonly certificate: string | undefined
  readonly serverName: string | undefined
}

/** API servers and proxies on this machine, which note what arrives. */
export interface Ground {
  readonly servers: Readonly<Record<'one' | 'two' | 'named' | 'plain', { readonly port: number }>>
  readonly proxies: { readonly http: WatchedProxy; readonly socks: WatchedProxy }
  /** The authorities of `one` and `named`, and of `two`. */
  readonly authorities: { readonly first: string; readonly second: string }
  readonly clients: Readonly<Record<'jane' | 'joe', KeyedCertificate>>
  readonly arrivals: Arrival[]
  /** The file in which plugins write what they are given. */
  readonly heard: string
  /** What `authorization` must be; undefined: anything. */
  wanted: string | undefined
}

export async function startGround(t: TestContext, folder: string): Promise<Ground> {
  const [first, second] = [newAuthority(), newAuthority()]
  const arrivals: Arrival[] = []
  const near = ['127.0.0.1', 'localhost', 'api.invalid']
  const listen = async (name: string, issued?: KeyedCertificate): Promise<{ readonly port: number }> => {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const arrival = arrivalOf(name, request)
      arrivals.push(arrival)
      const isWelcome = ground.wanted === undefined || arrival.authorization[0] === ground.wanted
      response.writeHead(isWelcome ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isWelcome ? { ...ANSWER, kind: kindOf(request) } : UNAUTHORIZED))
    }
    const tls = issued && { cert: issued.certificatePem, key: issued.keyPem, requestCert: true }
    const server =
      tls === undefined ? createPlainServer(answer) : createTlsServer({ ...tls, rejectUnauthorized: false }, answer)
    server.listen(0, '127.0.0.1')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    await once(server, 'listening')
    return { port: (server.address() as AddressInfo).port }
  }
  const ground: Ground = {
    servers: {
      one: await listen('one', first.issue({ commonName: 'one' }, { names: near })),
      two: await listen('two', second.issue({ commonName: 'two' }, { names: near })),
      named: await listen('named', first.issue({ commonName: 'named' }, { names: ['api.internal'] })),
      plain: await listen('plain'),
    },
    proxies: { http: await aProxy(t), socks: await aSocksProxy(t) },
    authorities: { first: first.certificatePem, second: second.certificatePem },
    clients: { jane: first.issue({ commonName: 'jane' }), joe: first.issue({ commonName: 'joe' }) },
    arrivals,
    heard: join(folder, 'heard'),
    wanted: undefined,
  }
  return ground
}

const UNAUTHORIZED = { apiVersion: 'v1', kind: 'Status', status: 'Failure', reason: 'Unauthorized', code: 401 }
/** Both a version and the token of a service account. */
const ANSWER = { apiVersion: 'authentication.k8s.io/v1', gitVersion: 'v1.35.0', status: { token: 'none' } }

const kindOf = ({ method }: IncomingMessage): string => (method === 'POST' ? 'TokenRequest' : 'Version')

const PATH = /^(.*?)(?:\/version|\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts\/who\/token)(?:\?|$)/

function arrivalOf(server: string, request: IncomingMessage): Arrival {
  const [, prefix = `? ${request.url}`, namespace] = PATH.exec(request.url ?? '') ?? []
  const { socket } = request
  const values = (name: string): readonly string[] => request.headersDistinct[name] ?? []
  const names = Object.keys(request.headersDistinct).filter((name) => name.startsWith('impersonate-'))
  return {
    ...{ server, prefix, namespace: namespace && decodeURIComponent(namespace) },
    authorization: values('authorization'),
    impersonation: names.toSorted().map((name) => `${name}: ${JSON.stringify(values(name).toSorted())}`),
    certificate: socket instanceof TLSSocket ? commonNameOf(socket) : undefined,
    serverName: socket instanceof TLSSocket && typeof socket.servername === 'string' ? socket.servername : undefined,
  }
}

/** Of a session that is taken up again, it is in the session. */
const commonNameOf = (socket: TLSSocket): string | undefined =>
  String(socket.getPeerCertificate().subject?.CN ?? '') || undefined
