/**
 * Seeded clusters for the embedded scheduler and a real one: `node test/placements.ts --seeds 500`. `--beside 4` plays them on four real
 * control planes at a time, since a scheduler mostly waits.
 */
import { parseArgs } from 'node:util'
import { realPlane } from './contract/doors/control-planes.ts'
import { drawCluster } from './differential/scheduling-cluster.ts'
import { compareScheduling, makeClasses } from './differential/scheduling-compare.ts'

const options = {
  seeds: { type: 'string', default: '500' },
  from: { type: 'string', default: '0' },
  seed: { type: 'string' },
  beside: { type: 'string', default: '1' },
} as const
const { values } = parseArgs({ options })
const first = Number(values.seed ?? values.from)
const count = values.seed === undefined ? Number(values.seeds) : 1
const seeds = Array.from({ length: count }, (_, index) => first + index)
const startedMs = performance.now()
let failed = 0

async function playAll(): Promise<void> {
  const plane = await realPlane()
  try {
    await makeClasses(plane)
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const found = await compareScheduling(drawCluster(seed), plane)
      if (found.length === 0) continue
      failed += 1
      console.log(`seed ${seed}:\n  ${found.slice(0, 4).join('\n  ')}`)
    }
  } finally {
    await plane.close()
  }
}

await Promise.all(Array.from({ length: Number(values.beside) }, playAll))
const seconds = Math.round((performance.now() - startedMs) / 1_000)
console.log(`${count} clusters, ${failed} with differences, in ${seconds} s`)
process.exit(failed === 0 ? 0 : 1)
