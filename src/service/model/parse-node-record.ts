import { isReportedBootId } from '../../ground/model/boot-id.ts'
import type { Taint } from '../../ground/model/node.ts'
import { isRunName } from '../../ground/model/run-name.ts'
import type { AdminState, ServerReading } from './balancer.ts'
import type { NodeRecord, RebootIntent, RebootRequest, RecordedDaemon, RecordedServer } from './node-record.ts'

/** Any account that may patch nodes can write these annotations: every field is checked. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

type Raw = Readonly<Record<string, unknown>>

export function parseNodeRecord(text: string): Parsed<NodeRecord> {
  return guarded(() => {
    const raw = versioned(text)
    return {
      version: 1,
      run: runName(raw),
      ...(raw.reason === undefined ? {} : { reason: string(raw, 'reason') }),
      at: string(raw, 'at'),
      ...(raw.slotNamespace === undefined ? {} : { slotNamespace: string(raw, 'slotNamespace') }),
      bootId: bootId(raw),
      unschedulable: boolean(raw, 'unschedulable'),
      taints: array(raw, 'taints').map(taint),
      servers: array(raw, 'servers').map(server),
      daemons: array(raw, 'daemons').map(daemon),
      workloads: counts(raw, 'workloads'),
      dnsReady: count(raw, 'dnsReady'),
    }
  })
}

export function parseRebootIntent(text: string): Parsed<RebootIntent> {
  return guarded(() => {
    const raw = versioned(text)
    return { version: 1, run: runName(raw), bootId: bootId(raw), at: string(raw, 'at') }
  })
}

export function parseRebootRequest(text: string): Parsed<RebootRequest> {
  return guarded(() => {
    const raw = versioned(text)
    const asked = { version: 1, run: runName(raw), bootId: bootId(raw), id: token(raw, 'id') } as const
    if (raw.by === 'fleetLock') return { ...asked, by: raw.by }
    if (raw.by !== undefined) throw new Malformed(`it is for ${JSON.stringify(raw.by)}`)
    return raw.word === undefined ? asked : { ...asked, word: token(raw, 'word') }
  })
}

class Malformed extends Error {}

function guarded<T>(parse: () => T): Parsed<T> {
  try {
    return { ok: true, value: parse() }
  } catch (error) {
    if (error instanceof Malformed) return { ok: false, why: error.message }
    throw error
  }
}

function versioned(text: string): Raw {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Malformed('it is not JSON')
  }
  const raw = object(value, 'it')
  if (raw.version !== 1) throw new Malformed(`its version is ${JSON.stringify(raw.version)}, not 1`)
  return raw
}

function object(value: unknown, what: string): Raw {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Malformed(`${what} is no object`)
  return value as Raw
}

function string(raw: Raw, field: string): string {
  const value = raw[field]
  if (typeof value !== 'string' || value.length > 1024) throw new Malformed(`${field} is no text`)
  return value
}

function boolean(raw: Raw, field: string): boolean {
  const value = raw[field]
  if (typeof value !== 'boolean') throw new Malformed(`${field} is neither true nor false`)
  return value
}

function count(raw: Raw, field: string): number {
  const value = raw[field]
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) throw new Malformed(`${field} is no count`)
  return value
}

function array(raw: Raw, field: string): readonly unknown[] {
  const value = raw[field]
  if (!Array.isArray(value) || value.length > 10_000) throw new Malformed(`${field} is no list`)
  return value
}

/** The name of the run is part of commands for people to paste. */
function runName(raw: Raw): string {
  const value = string(raw, 'run')
  if (!isRunName(value)) throw new Malformed('run is not the name of a run')
  return value
}

function token(raw: Raw, field: string): string {
  const value = string(raw, field)
  if (!/^[0-9a-f]{8,64}$/.test(value)) throw new Malformed(`${field} is not of hexadecimal digits`)
  return value
}

function bootId(raw: Raw): string {
  const value = string(raw, 'bootId')
  if (!isReportedBootId(value) && !/^[0-9a-f-]{8,64}$/i.test(value)) throw new Malformed('bootId is not a boot id')
  return value
}

function counts(raw: Raw, field: string): Readonly<Record<string, number>> {
  const value = object(raw[field], field)
  return Object.fromEntries(Object.keys(value).map((key) => [key, count(value, key)]))
}

function taint(value: unknown): Taint {
  const raw = object(value, 'a taint')
  const base = { key: string(raw, 'key'), effect: string(raw, 'effect') }
  return raw.value === undefined ? base : { ...base, value: string(raw, 'value') }
}

/** 0 is the port of a server without one in a balancer; the last port is 65535. */
function port(raw: Raw): number {
  const value = count(raw, 'port')
  if (value > 65_535) throw new Malformed('port is not a port number')
  return value
}

const ADMIN_STATES: readonly AdminState[] = ['ready', 'drain', 'maint']
const OPERATIONAL: readonly ServerReading['operational'][] = ['up', 'starting', 'stopping', 'down']

function server(value: unknown): RecordedServer {
  const raw = object(value, 'a server')
  const state = ADMIN_STATES.find((known) => known === raw.state)
  if (state === undefined) throw new Malformed(`the state of a server is ${JSON.stringify(raw.state)}`)
  return {
    balancer: string(raw, 'balancer'),
    instance: string(raw, 'instance'),
    backend: string(raw, 'backend'),
    server: string(raw, 'server'),
    address: string(raw, 'address'),
    port: port(raw),
    state,
    ...(raw.nodeMark === undefined ? {} : { nodeMark: string(raw, 'nodeMark') }),
    ...(raw.operational === undefined ? {} : { operational: operational(raw.operational) }),
  }
}

function operational(value: unknown): ServerReading['operational'] {
  const found = OPERATIONAL.find((known) => known === value)
  if (found === undefined) throw new Malformed(`a server is ${JSON.stringify(value)}`)
  return found
}

function daemon(value: unknown): RecordedDaemon {
  const raw = object(value, 'a daemon')
  if (raw.kind !== 'DaemonSet' && raw.kind !== 'mirror') throw new Malformed('the kind of a daemon is unknown')
  const containerIds = array(raw, 'containerIds').map((id) => {
    if (typeof id !== 'string') throw new Malformed('a container id is not text')
    return id
  })
  return {
    kind: raw.kind,
    namespace: string(raw, 'namespace'),
    name: string(raw, 'name'),
    containerIds,
    ready: boolean(raw, 'ready'),
  }
}
