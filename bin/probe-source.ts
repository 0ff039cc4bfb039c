import { fileURLToPath } from 'node:url'
import { ChildProbeSource } from '../src/adapters/node/child-probe-source.ts'
import { systemClock } from '../src/adapters/node/system-clock.ts'
import { systemRandom } from '../src/adapters/node/system-random.ts'
import type { ProbeTarget } from '../src/model/probe.ts'

/** A prober of the real world. */
export const probeSource = (targets: readonly ProbeTarget[]): ChildProbeSource =>
  new ChildProbeSource({
    program: fileURLToPath(new URL('./probe-process.ts', import.meta.url)),
    targets,
    clock: systemClock,
    random: systemRandom,
  })
