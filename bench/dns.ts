/**
 * Checks of DNS over real UDP sockets on loopback, with servers in another process. `node bench/dns.ts [PART...]`: `sweep`
 * (200 pods beside a bare loop and dnsperf, in turns), `dead` (how long a dead pod takes to be named), `loss` (false alarms in
 * simulated rounds), `memory` and `memory-dropped` (a million queries each); all of them without a name, some four minutes.
 * Each part has a process of its own. Prints a line and JSON for each.
 */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { measureDeadPod } from './dns/dead-pod.ts'
import type { DnsDocument } from './dns/dns-document.ts'
import { dnsFigures } from './dns/dns-figures.ts'
import { measureMemory } from './dns/query-memory.ts'
import { measureRandomLoss } from './dns/random-loss.ts'
import { measureSweep } from './dns/sweep-speed.ts'
import { figuresTable } from './report/figures-table.ts'
import { runPart } from './report/run-part.ts'

const DROP_ONE_IN = 10

const PARTS: Readonly<Record<string, () => Promise<readonly DnsDocument[]>>> = {
  sweep: async () => [await measureSweep()],
  dead: async () => [await measureDeadPod()],
  loss: async () => measureRandomLoss(),
  memory: async () => [await measureMemory()],
  'memory-dropped': async () => [await measureMemory(DROP_ONE_IN)],
}

async function one(part: string): Promise<number> {
  const documents = await PARTS[part]?.()
  for (const document of documents ?? []) process.stdout.write(`${JSON.stringify(document)}\n`)
  return documents === undefined ? 2 : 0
}

async function all(parts: readonly string[]): Promise<number> {
  const unknown = parts.find((part) => PARTS[part] === undefined)
  if (unknown !== undefined) {
    process.stderr.write(`there is no part ${unknown}: ${Object.keys(PARTS).join(', ')}\n`)
    return 2
  }
  for (const part of parts) {
    const { documents, code } = await runPart(fileURLToPath(import.meta.url), ['one', part])
    if (code !== 0) return code
    for (const document of documents as readonly DnsDocument[])
      process.stdout.write(`${figuresTable(dnsFigures(document))}\n${JSON.stringify(document)}\n`)
  }
  return 0
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'one') process.exitCode = await one(rest[0] ?? '')
else process.exitCode = await all(first === undefined ? Object.keys(PARTS) : [first, ...rest])
