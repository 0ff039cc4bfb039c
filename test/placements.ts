/** Seeded clusters for the embedded scheduler and a real one: `node test/placements.ts --seeds 500`. */
import { parseArgs } from 'node:util'
import { realPlane } from './contract/doors/control-planes.ts'
import { drawCluster } from './differential/scheduling-cluster.ts'
import { compareScheduling, makeClasses } from './differential/scheduling-compare.ts'

const options = {
  seeds: { type: 'string', default: '500' },
  from: { type: 'string', default: '0' },
  seed: { type: 'string' },
} as const
const { values } = parseArgs({ options })
const first = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1

const plane = await realPlane()
await makeClasses(plane)
const startedMs = performance.now()
let failed = 0
for (let seed = first; seed < first + count; seed += 1) {
  const found = await compareScheduling(drawCluster(seed), plane)
  if (found.length === 0) continue
  failed += 1
  console.log(`seed ${seed}:\n  ${found.slice(0, 4).join('\n  ')}`)
}
await plane.close()
const seconds = Math.round((performance.now() - startedMs) / 1_000)
console.log(`${count} clusters, ${failed} with differences, in ${seconds} s`)
process.exit(failed === 0 ? 0 : 1)
