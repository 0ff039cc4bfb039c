import { isBootId } from '../../ground/model/boot-id.ts'
import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'
import type { NodeReading } from '../../ground/model/node-reading.ts'
import { present } from '../../ground/model/present.ts'
import { type MonoMs, monoMs } from '../../ground/model/time.ts'
import { isAnswer } from '../../service/model/answer.ts'
import { owedAnew } from './agent-check-line.ts'
import type { Brake } from './brake.ts'
import type { AgentEvidence } from './evidence.ts'

const VERSION = 1

/** Leaves out the version of the Node: it changes with each heartbeat, and counts only for what was read from the API. */
export function formatMemory(bootId: string, evidence: AgentEvidence): string {
  const { node } = evidence
  const kept = node === undefined || node === 'gone' ? {} : { node: { ...node, resourceVersion: '' } }
  return JSON.stringify({ version: VERSION, bootId, evidence: { ...evidence, ...kept } })
}

/**
 * Whether an older memory does no harm if a newer one could not be written: it gives the same answer for the same Node, and owes
 * no address less. An address that was paid in the meantime is paid again.
 */
export function mayStandFor(older: string, newer: string): boolean {
  const [then, now] = [older, newer].map((text) => jsonObject(text)?.evidence)
  if (!isJsonObject(then) || !isJsonObject(now)) return false
  // Recalled later, a cordon that is over would take the node out once its grace is over.
  if (!['answer', 'node', 'brake'].every((key) => JSON.stringify(then[key]) === JSON.stringify(now[key]))) return false
  const owed = isJsonObject(then.owed) ? then.owed : {}
  return Object.keys(isJsonObject(now.owed) ? now.owed : {}).every((address) => address in owed)
}

/**
 * What an agent of this machine had seen since the boot; undefined if it cannot be parsed. Times are of the machine's monotonic
 * clock; a time in the future belongs to another boot.
 */
export function parseMemory(text: string, bootId: string, now: MonoMs): AgentEvidence | 'of another boot' | undefined {
  const raw = jsonObject(text)
  if (raw === undefined || raw.version !== VERSION) return undefined
  const { evidence } = raw
  if (!isBootId(bootId) || raw.bootId !== bootId) return 'of another boot'
  return isJsonObject(evidence) ? evidenceOf(evidence, now) : undefined
}

type Raw = Readonly<Record<string, unknown>>

function evidenceOf(raw: Raw, now: MonoMs): AgentEvidence | undefined {
  const { answer, node, dataPort } = raw
  const since = timeOf(raw.since, now)
  if (!isAnswer(answer) || since === undefined) return undefined
  const reading = node === 'gone' ? node : readingOf(node)
  if (node !== undefined && reading === undefined) return undefined
  return {
    answer,
    since,
    ...present({ node: reading }),
    ...(dataPort === 'open' || dataPort === 'closed' ? { dataPort } : {}),
    ...(isBrake(raw.brake) ? { brake: raw.brake } : {}),
    ...(raw.cordonCounts === true ? { cordonCounts: true } : {}),
    // What each address received since is unknown, so it receives all of it again.
    ...(isJsonObject(raw.owed) ? { owed: owedAnew(Object.keys(raw.owed)) } : {}),
    ...timed('cordonedSince', raw, now),
    ...timed('leavingSince', raw, now),
    ...timed('clearSince', raw, now),
  }
}

function readingOf(raw: unknown): NodeReading | undefined {
  if (!isJsonObject(raw)) return undefined
  const { uid, unschedulable, deleting, lifecycle, removal, excluded, maintenance } = raw
  const isWhole =
    typeof uid === 'string' &&
    typeof unschedulable === 'boolean' &&
    typeof deleting === 'boolean' &&
    isTexts(lifecycle) &&
    isTexts(removal) &&
    typeof excluded === 'boolean' &&
    (maintenance === undefined || typeof maintenance === 'string')
  if (!isWhole) return undefined
  const reading = { uid, resourceVersion: '', unschedulable, deleting, lifecycle, removal, excluded }
  return maintenance === undefined ? reading : { ...reading, maintenance }
}

function timed<K extends string>(key: K, raw: Raw, now: MonoMs): { readonly [P in K]?: MonoMs } {
  const at = timeOf(raw[key], now)
  return at === undefined ? {} : ({ [key]: at } as { readonly [P in K]?: MonoMs })
}

const timeOf = (value: unknown, now: MonoMs): MonoMs | undefined =>
  typeof value === 'number' && value >= 0 && value <= now ? monoMs(value) : undefined

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')
const isBrake = (value: unknown): value is Brake =>
  value === 'none' || value === 'granted' || value === 'withheld' || value === 'unknown'
