/** A program that probes until it is killed: says the process id of its prober once samples come. */
import process from 'node:process'
import { ChildProbeSource } from '../../../src/ground/machine/child-probe-source.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { aTarget } from '../../roll/decide/availability/a-sample.ts'

const [, , program = '', url = ''] = process.argv
let prober = 0
let said = false
const source = new ChildProbeSource({
  program,
  targets: [aTarget({ url })],
  clock: systemClock,
  random: systemRandom,
  onSpawn: (pid) => {
    prober = pid
  },
})
await source.run((signal) => {
  if (said || signal.type !== 'batch' || signal.samples.length === 0) return
  said = true
  process.stdout.write(`${prober}\n`)
}, new AbortController().signal)
