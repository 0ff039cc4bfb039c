/**
 * The prober as a process of its own: nothing its parent does can stop it from measuring in time, and whoever kills it
 * leaves a gap that shows. First message in: the targets; any second one ends it in order. Messages out: `ProbeSignal`.
 * A parent that is gone ends it at once.
 */
import process from 'node:process'
import { NodeHttpProbe } from '../src/adapters/http/node-http-probe.ts'
import { warmUp } from '../src/adapters/http/warm-up.ts'
import { preferThisProcess } from '../src/adapters/node/prefer-this-process.ts'
import { systemClock } from '../src/adapters/node/system-clock.ts'
import { Sampler } from '../src/controllers/probe/sampler.ts'
import type { ProbeTarget } from '../src/model/probe.ts'
import type { ProbeSignal } from '../src/model/probe-signal.ts'

async function probe(targets: readonly ProbeTarget[], signal: AbortSignal): Promise<void> {
  const http = new NodeHttpProbe()
  let written = Promise.resolve()
  const emit = (told: ProbeSignal): void => {
    written = new Promise((resolve) => process.send?.(told, () => resolve()))
  }
  await warmUp(signal)
  await new Sampler({ targets, http, clock: systemClock, emit }).run(signal)
  http.close()
  // A channel closed too early would swallow the last verdicts.
  await written
  process.disconnect()
}

preferThisProcess()
const stopped = new AbortController()
process.once('disconnect', () => process.exit(0))
process.once('message', (targets) => {
  process.once('message', () => stopped.abort(new Error('stopped by its parent')))
  // Our own parent sends it and has validated it.
  void probe(targets as readonly ProbeTarget[], stopped.signal)
})
