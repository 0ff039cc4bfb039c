/**
 * Drawn sequences of requests on the embedded cluster and on the real API server with its controllers, compared step by step.
 * `node test/differential.ts --seeds 2000` plays seeds 0 to 1999, `--from 5000` others, `--seed X` one, with its steps. What
 * differs and is not in `api/accepted.ts` is printed with its seed and the steps up to there; then the exit code is 1.
 */
import { parseArgs } from 'node:util'
import { compareSequence } from './differential/api/compare-sequence.ts'
import { drawSequence } from './differential/api/draw.ts'
import { Findings, findingText } from './differential/api/findings.ts'
import { realCluster } from './differential/api/real-cluster.ts'
import { stepText } from './differential/api/step.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    /** Sequences at a time: a real one mostly waits. */
    beside: { type: 'string', default: '8' },
    /** No sequence is begun after these. */
    seconds: { type: 'string', default: '3000' },
  },
})

const first = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1
const seeds = Array.from({ length: count }, (_, index) => first + index)
if (values.seed !== undefined) for (const step of drawSequence(first).steps) console.log(stepText(step).slice(0, 500))
const real = await realCluster()
const findings = new Findings()
const endsMs = performance.now() + 1_000 * Number(values.seconds)

async function playAll(): Promise<void> {
  for (let seed = seeds.shift(); seed !== undefined && performance.now() < endsMs; seed = seeds.shift()) {
    findings.add(await compareSequence(drawSequence(seed), real))
  }
}

try {
  await Promise.all(Array.from({ length: Number(values.beside) }, playAll))
} finally {
  await real.close()
}
for (const finding of findings.byPlace()) console.log(findingText(finding))
console.log(findings.summary())
process.exit(findings.byPlace().length > 0 ? 1 : 0)
