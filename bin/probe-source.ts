import { ChildProbeSource } from '../src/adapters/node/child-probe-source.ts'
import { systemClock } from '../src/adapters/node/system-clock.ts'
import { systemRandom } from '../src/adapters/node/system-random.ts'
import type { ProbeTarget } from '../src/model/probe.ts'
import { ownProgram } from './process/own-program.ts'

/** A prober of the real world. */
export const probeSource = (targets: readonly ProbeTarget[]): ChildProbeSource =>
  new ChildProbeSource({
    program: ownProgram('probe-process'),
    targets,
    clock: systemClock,
    random: systemRandom,
  })
