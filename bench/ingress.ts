/**
 * What the controller of IngressDaemonSets costs on a large fleet: two objects, an API server, and stand-ins for the kubelets.
 * `node bench/ingress.ts [--api embedded|real] [--nodes N]... [--way chart|jitless]... [--idle SECONDS] [--cordons N] [--plot FILE]`.
 * Prints lines and JSON; the plot shows how cost grows with the nodes, in the first of the ways. `--api real` takes the control
 * plane of the test bed, made anew for each fleet, and a machine that can carry it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { AGENT_FLAGS, CONTROLLER_FLAGS } from '../deploy/image/root-tree.ts'
import type { IngressDocument } from './ingress/ingress-document.ts'
import { measureFleetOfIngress } from './ingress/measure-fleet-of-ingress.ts'
import { scalePlot } from './ingress/scale-plot.ts'

/** V8 takes that much of the memory limit that the chart sets. */
const OLD_SPACE = '--max-old-space-size=256'
const FLAGS: Readonly<Record<IngressDocument['way'], readonly string[]>> = {
  chart: [...CONTROLLER_FLAGS, OLD_SPACE],
  jitless: AGENT_FLAGS,
}
const isApi = (text: string): text is IngressDocument['api'] => ['embedded', 'real'].includes(text)
const isWay = (text: string): text is IngressDocument['way'] => text in FLAGS

const { values } = parseArgs({
  options: {
    api: { type: 'string', default: 'embedded' },
    nodes: { type: 'string', multiple: true, default: ['100', '300', '1000', '2500', '5000'] },
    way: { type: 'string', multiple: true, default: ['chart'] },
    idle: { type: 'string', default: '60' },
    cordons: { type: 'string', default: '100' },
    plot: { type: 'string' },
  },
})

const { api } = values
if (!isApi(api)) throw new TypeError(`--api ${api}: embedded or real`)

const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-program-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const quiet = '--disable-warning=ExperimentalWarning'
execFileSync(process.execPath, [quiet, fileURLToPath(new URL('../bin/build.ts', import.meta.url)), folder])

const documents: IngressDocument[] = []
for (const way of values.way.filter(isWay))
  for (const nodes of values.nodes.map(Number)) {
    const size = { api, nodes, idleSeconds: Number(values.idle), cordons: Number(values.cordons) }
    const found = await measureFleetOfIngress(size, { path: join(folder, 'evenkeel.js'), flags: FLAGS[way], way })
    documents.push(found)
    const { made, firstPassMs, idle, cordon } = found
    process.stdout.write(
      `${nodes} nodes, ${api === 'real' ? 'real API server, ' : ''}${way}: made in ${made.seconds} s (${made.writesPerNode} writes a node); first pass ${firstPassMs} ms of processor; ` +
        `idle ${idle.percent} % of a core, ${idle.residentMb} MB, ${idle.writes} writes in ${idle.seconds} s; ` +
        `a cordon is decided after ${cordon.p50Ms} ms (p50), ${cordon.p99Ms} ms (p99), and takes ${cordon.processorMs} ms of processor\n` +
        `${JSON.stringify(found)}\n`,
    )
  }
const [first] = documents
if (values.plot !== undefined && first !== undefined)
  writeFileSync(values.plot, scalePlot(documents.filter(({ way }) => way === first.way)))
