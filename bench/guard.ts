/**
 * What the controller of NodeGuards costs on a large fleet: a guard of every node with one hold of each kind, and an API server.
 * `node bench/guard.ts [--nodes N]... [--idle SECONDS] [--cordons N]`. Prints lines and JSON.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CONTROLLER_FLAGS } from '../deploy/image/root-tree.ts'
import { measureFleetOfGuards } from './guard/measure-fleet-of-guards.ts'

/** V8 takes that much of the memory limit that the chart sets. */
const OLD_SPACE = '--max-old-space-size=256'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', multiple: true, default: ['1000', '5000'] },
    idle: { type: 'string', default: '60' },
    cordons: { type: 'string', default: '100' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-program-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const quiet = '--disable-warning=ExperimentalWarning'
execFileSync(process.execPath, [quiet, fileURLToPath(new URL('../bin/build.ts', import.meta.url)), folder])

for (const nodes of values.nodes.map(Number)) {
  const size = { nodes, idleSeconds: Number(values.idle), cordons: Number(values.cordons) }
  const program = { path: join(folder, 'evenkeel.js'), flags: [...CONTROLLER_FLAGS, OLD_SPACE] }
  const found = await measureFleetOfGuards(size, program)
  const { made, firstPassMs, idle, grant } = found
  process.stdout.write(
    `${nodes} nodes: made in ${made.seconds} s (${made.writesPerNode} writes a node); first pass ${firstPassMs} ms of processor; ` +
      `idle ${idle.percent} % of a core, ${idle.residentMb} MB, ${idle.writes} writes in ${idle.seconds} s; ` +
      `granted ${grant.p50Ms} ms (p50), ${grant.p99Ms} ms (p99) after the cordon, with ${grant.processorMs} ms of processor\n` +
      `${JSON.stringify(found)}\n`,
  )
}
