import { get } from 'node:http'
import { request } from 'node:https'
import { formatClaims, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import type { Administrator } from '../../test/support/administrator.ts'
import type { RawApi } from '../../test/support/raw-api.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { quantile } from './open-loop.ts'
import type { Running } from './programs.ts'

/** Watches of one Node each, as an agent's: what the API server has to serve beside those that are measured. */
export function openWatches({ server, tls }: Administrator, nodes: readonly string[]): Promise<() => void> {
  const streams = nodes.map((node) => {
    const url = `${server}/api/v1/nodes?watch=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3D${node}`
    const stream = request(url, { ...tls, agent: false })
    const begun = new Promise<void>((resolve, reject) => {
      stream.once('error', reject)
      stream.once('response', (response) => {
        response.resume()
        response.on('error', () => undefined)
        resolve()
      })
    })
    stream.end()
    return { stream, begun }
  })
  const close = (): void => {
    for (const { stream } of streams) stream.on('error', () => undefined).destroy()
  }
  return Promise.all(streams.map(({ begun }) => begun)).then(() => close)
}

interface Noticed {
  readonly p50: number
  readonly p99: number
  readonly of: number
}

/** From the write of a request, as it is sent, to the first check that is refused. */
export async function noticeTime(
  api: RawApi,
  agents: readonly (Running & { readonly node: string })[],
  rounds: number,
): Promise<Noticed> {
  const took: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const agent of agents) took.push(await once(api, agent, `r${round}`))
  }
  const sorted = took.toSorted((a, b) => a - b)
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), of: sorted.length }
}

async function once(api: RawApi, { node, url }: Running & { readonly node: string }, id: string): Promise<number> {
  const path = `/api/v1/nodes/${node}`
  const asked = formatClaims([{ owner: 'roll/bench', id, at: new Date(0).toISOString() }])
  const annotated = (value: string | null): Promise<unknown> =>
    api('PATCH', path, { metadata: { annotations: { [MAINTENANCE_ANNOTATION]: value } } })
  const begunAt = performance.now()
  const writing = annotated(asked)
  await answered(url, 503)
  const took = performance.now() - begunAt
  await writing
  await annotated(null)
  await answered(url, 200)
  return took
}

const answered = (url: string, status: number): Promise<true> =>
  waitFor({ what: `status ${status}`, limitMs: 30_000, everyMs: 1 }, async () =>
    (await statusOf(url)) === status ? true : undefined,
  )

const statusOf = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
    }).once('error', reject)
  })
