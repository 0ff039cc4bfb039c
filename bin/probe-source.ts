import { ChildProbeSource } from '../src/ground/machine/child-probe-source.ts'
import { systemClock } from '../src/ground/machine/system-clock.ts'
import { systemRandom } from '../src/ground/machine/system-random.ts'
import type { ProbeTarget } from '../src/ground/model/probe.ts'
import { ownProgram } from './process/own-program.ts'

/** A prober of the real world. */
export const probeSource = (targets: readonly ProbeTarget[]): ChildProbeSource =>
  new ChildProbeSource({
    program: ownProgram('probe-process'),
    targets,
    clock: systemClock,
    random: systemRandom,
  })
