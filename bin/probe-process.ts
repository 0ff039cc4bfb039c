/**
 * The prober as a separate process. It measures in time whatever its parent does, and the report shows a gap if it is killed.
 * Its first message is a `ProbeOrder`; a second one ends it normally. It sends `ProbeSignal`s. If its parent is gone, it ends
 * at once.
 */
import process from 'node:process'
import { steadyClock } from '../src/ground/loop/steady-clock.ts'
import type { ProbeOrder } from '../src/ground/machine/child-probe-source.ts'
import { preferThisProcess } from '../src/ground/machine/prefer-this-process.ts'
import { systemClock } from '../src/ground/machine/system-clock.ts'
import type { ProbeSignal } from '../src/ground/model/probe-signal.ts'
import { NodeHttpProbe } from '../src/ground/net/node-http-probe.ts'
import { warmUp } from '../src/ground/net/warm-up.ts'
import { Sampler } from '../src/roll/probe/sampler.ts'

async function probe({ targets, wallOffsetMs }: ProbeOrder, signal: AbortSignal): Promise<void> {
  const http = new NodeHttpProbe()
  let written = Promise.resolve()
  const emit = (message: ProbeSignal): void => {
    written = new Promise((resolve) => process.send?.(message, () => resolve()))
  }
  await warmUp(signal)
  const clock = wallOffsetMs === undefined ? systemClock : steadyClock(systemClock, { offsetMs: wallOffsetMs })
  await new Sampler({ targets, http, clock, emit }).run(signal)
  http.close()
  // A channel closed too early would swallow the last verdicts.
  await written
  process.disconnect()
}

preferThisProcess()
const stopped = new AbortController()
process.once('disconnect', () => process.exit(0))
process.once('message', (order) => {
  process.once('message', () => stopped.abort(new Error('stopped by its parent')))
  // Our own parent sends it and has validated it.
  void probe(order as ProbeOrder, stopped.signal)
})
