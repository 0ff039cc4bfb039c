/**
 * What virtual time costs: events a second, and rolls of clusters of several sizes by the real engine and adapters.
 * `node bench/virtual.ts [NODES...]` (6 30 100), each size in a process of its own; all times are of its processor. Prints a
 * line and JSON for each, then how the time of a node grows.
 */
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { runPart } from './report/run-part.ts'
import { growthPlot } from './virtual/growth.ts'
import { measureEvents } from './virtual/measure-events.ts'
import { measureRoll } from './virtual/measure-roll.ts'
import type { VirtualDocument } from './virtual/virtual-document.ts'

const SIZES = ['6', '30', '100']
/** Up to this size a roll is short, so that it is run several times. */
const SMALL = 10
const SMALL_RUNS = 7

const isEvents = (asked: string): boolean => asked === 'events'

function say(found: VirtualDocument): void {
  const text =
    found.bench === 'virtual.events'
      ? `${found.events} events in ${found.ms} ms: ${Math.round((1_000 * found.events) / found.ms)} a second`
      : `roll of ${found.nodes} nodes: ${found.outcome}, ${found.ms} ms, ${(found.ms / found.nodes).toFixed(1)} ms a node, ` +
        `${found.virtualS} s of virtual time, ${found.peakMb} MB`
  process.stdout.write(`${text}\n${JSON.stringify(found)}\n`)
}

async function one(what: string): Promise<void> {
  if (isEvents(what)) say(await measureEvents())
  else say(await measureRoll(Number(what), Number(what) <= SMALL ? SMALL_RUNS : 1))
}

async function all(sizes: readonly string[]): Promise<number> {
  const found: VirtualDocument[] = []
  for (const what of ['events', ...sizes]) {
    const { documents, code } = await runPart(fileURLToPath(import.meta.url), ['one', what])
    if (code !== 0) return code
    for (const document of documents as readonly VirtualDocument[]) {
      found.push(document)
      process.stdout.write(`${JSON.stringify(document)}\n`)
    }
  }
  const rolls = found.filter((document) => document.bench === 'virtual.roll')
  process.stdout.write(`${growthPlot(rolls)}\n`)
  return rolls.every(({ outcome }) => outcome === 'completed') ? 0 : 1
}

const [first, ...rest] = process.argv.slice(2)
if (first === 'one') await one(rest[0] ?? '')
else process.exitCode = await all(first === undefined ? SIZES : [first, ...rest])
