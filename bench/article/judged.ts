import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { isVoid } from '../../test/support/roll-bed/judge.ts'
import { Program } from '../../test/support/roll-bed/program.ts'
import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { StrayCounter } from './stray-counter.ts'
import type { StreamDocument } from './stream-document.ts'

/** What the judges saw of one thing that was done to the cluster. */
export interface Judged<T> {
  readonly outcome: T
  readonly seconds: number
  readonly streams: Readonly<Record<string, StreamDocument>>
  /** By HAProxy's counters, seen by the bench itself. */
  readonly strays: number
  /** A judge skipped more than 0.1 %: the run proves nothing. */
  readonly void: boolean
  readonly loadAverage: number
}

const LEAD_MS = 3_000
const TRAIL_MS = 3_000

/**
 * Has one prober per stream (name → URL) judge what is done. The probers are processes of their own, begin before it on
 * a quiet cluster, end after it and are never killed.
 */
export async function judged<T>(
  bed: RollBed,
  urls: Readonly<Record<string, string>>,
  act: () => Promise<T>,
): Promise<Judged<T>> {
  await bed.settled()
  for (const url of Object.values(urls)) await quiet(bed, url)
  const judges = Object.entries(urls).map(([name, url]) => ({ name, judge: bed.judge(url) }))
  const counter = new StrayCounter(bed.lb.socket)
  await pause(LEAD_MS)
  const begun = performance.now()
  const outcome = await act()
  const seconds = Math.round((performance.now() - begun) / 100) / 10
  await pause(TRAIL_MS)
  const verdicts = await Promise.all(
    judges.map(async ({ name, judge }) => [name, (await judge.verdict()) as StreamDocument] as const),
  )
  return {
    outcome,
    seconds,
    streams: Object.fromEntries(verdicts),
    strays: await counter.stop(),
    void: verdicts.some(([, document]) => isVoid(document)),
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  }
}

/** The rules of a new service take a moment to reach every node: no tool is to blame for failures before its first step. */
async function quiet(bed: RollBed, url: string): Promise<void> {
  await waitFor({ what: `two seconds of ${url} without a failed request`, limitMs: 60_000 }, async () => {
    const words = [...bed.program, 'probe', url, '--duration', '2s', '-o', 'json', '--progress', 'none']
    const { code } = await new Program(bed.enter(words)).ended()
    return code === 0 ? true : undefined
  })
}
