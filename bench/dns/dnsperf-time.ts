import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LADDER } from '../../src/dns/decide/ladder.ts'
import type { Endpoint } from '../../src/ground/model/endpoint.ts'
import { NEWEST, NONCE, ZONE } from '../../test/dns/decide/a-zone.ts'

interface Asked {
  /** The program. */
  readonly perf: string
  readonly server: Endpoint | undefined
  readonly atOnce: number
  readonly queries: number
}

const SECONDS = 1

/** What dnsperf takes for so many queries, the ladder's names over UDP, by what it answers in a second (dnsperf(1)). */
export async function dnsperfMs({ perf, server, atOnce, queries }: Asked): Promise<number> {
  if (server === undefined) throw new Error('there is no server')
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-dnsperf-'))
  try {
    const file = join(folder, 'names')
    await writeFile(file, names().join(''))
    const where = ['-s', server.address, '-p', String(server.port), '-d', file]
    const load = ['-e', '-T', '1', '-c', String(atOnce), '-q', String(atOnce), '-l', String(SECONDS)]
    const { stdout } = await promisify(execFile)(perf, [...where, ...load])
    const perSecond = Number(/Queries per second:\s+([\d.]+)/.exec(stdout)?.[1])
    if (!(perSecond > 0)) throw new Error(`dnsperf says no rate: ${stdout}`)
    return (1_000 * queries) / perSecond
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** It asks in class IN alone. */
const names = (): readonly string[] =>
  LADDER.flatMap(({ over, question }) => {
    const asked = over === 'udp' ? question({ ...ZONE, newest: NEWEST }, NONCE) : undefined
    return asked?.class === 'IN' ? [`${asked.name} ${asked.type}\n`] : []
  })
