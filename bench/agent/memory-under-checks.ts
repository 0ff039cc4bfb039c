import { readFile } from 'node:fs/promises'
import type { MemoryFigures } from './agent-document.ts'
import { openLoop } from './open-loop.ts'

const PER_SECOND = 50
const LOOK_EVERY_S = 10

interface Look {
  readonly atMinutes: number
  readonly residentMb: number
  readonly anonymousMb: number
}

/** Memory of a process while it is asked fifty times a second over new connections (proc_pid_status(5)). */
export async function memoryUnderChecks(pid: number, url: string, minutes: number): Promise<MemoryFigures> {
  const looks: Look[] = []
  const rounds = Math.max(2, Math.round((minutes * 60) / LOOK_EVERY_S))
  for (let round = 1; round <= rounds; round += 1) {
    await openLoop({ url, perSecond: PER_SECOND, seconds: LOOK_EVERY_S })
    looks.push({ atMinutes: (round * LOOK_EVERY_S) / 60, ...(await memoryOf(pid)) })
  }
  const last = looks.at(-1)
  return {
    minutes,
    perSecond: PER_SECOND,
    residentMb: last?.residentMb ?? Number.NaN,
    anonymousMb: last?.anonymousMb ?? Number.NaN,
    slopeMb: growthOf(looks.slice(Math.floor(looks.length / 2))),
  }
}

async function memoryOf(pid: number): Promise<Pick<Look, 'residentMb' | 'anonymousMb'>> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const mbOf = (field: string): number =>
    Math.round(Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 10.24) / 10_000
  return { residentMb: mbOf('VmRSS'), anonymousMb: mbOf('RssAnon') }
}

/** What a straight line through them rises from the first to the last. */
function growthOf(looks: readonly Look[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const at = mean(looks.map(({ atMinutes }) => atMinutes))
  const mb = mean(looks.map(({ anonymousMb }) => anonymousMb))
  const covariance = looks.reduce((sum, look) => sum + (look.atMinutes - at) * (look.anonymousMb - mb), 0)
  const variance = looks.reduce((sum, look) => sum + (look.atMinutes - at) ** 2, 0)
  const spanMinutes = (looks.at(-1)?.atMinutes ?? 0) - (looks[0]?.atMinutes ?? 0)
  return variance === 0 ? 0 : Math.round(((covariance / variance) * spanMinutes + Number.EPSILON) * 100) / 100
}
