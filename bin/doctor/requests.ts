import type {
  DoctorSnapshot,
  Found,
  GateFound,
  ProgramsFound,
  ReceiverFound,
  SilencerFound,
} from '../../src/explain/decide/doctor/doctor-snapshot.ts'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { hasProgram } from '../../src/ground/machine/this-machine.ts'
import type { Node } from '../../src/ground/model/node.ts'
import { present } from '../../src/ground/model/present.ts'
import { HttpHolds } from '../../src/guard/io/ask-hold.ts'
import { timeWindowsOf } from '../../src/roll/file/time-window-spans.ts'
import { readSecret } from '../../src/roll/io/read-secret.ts'
import { isFor } from '../../src/roll/model/request-scope.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { NodePlace } from '../../src/roll/ports/gate-source.ts'
import { gatesOf } from '../roll/gates.ts'
import { secretsOf } from '../roll/notifier.ts'
import { attempt, CHECK_LIMIT_MS } from './attempt.ts'

interface Looking {
  readonly nodes?: Found<readonly Node[]>
  /** Absent: the API server was not reached. */
  readonly parts?: FollowParts
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Time windows, gates, hooks, silences and receivers of the file. Each gate is asked once, no hook is run, and nothing is sent. */
export async function readRequests(
  spec: RollSpec,
  looking: Looking,
  signal: AbortSignal,
): Promise<Pick<DoctorSnapshot, 'window' | 'gates' | 'programs' | 'silencers' | 'receivers'>> {
  const [gates, programs, silencers, receivers] = await Promise.all([
    askGates(spec, looking, signal),
    findPrograms(spec, looking),
    askSilencers(spec, looking, signal),
    findReceivers(spec, looking, signal),
  ])
  return { ...windowOf(spec), gates, programs, silencers, receivers }
}

function windowOf({ window }: RollSpec): Pick<DoctorSnapshot, 'window'> {
  if (window === undefined) return {}
  const now = clock.wallMs()
  const [next] = timeWindowsOf(window).spansFrom(now, 1)
  return { window: { zone: window.zone, now, ...present({ next }) } }
}

async function askGates(
  spec: RollSpec,
  { nodes, parts, env }: Looking,
  signal: AbortSignal,
): Promise<readonly GateFound[]> {
  const known = nodes?.is === 'found' ? nodes.value : []
  const node = known.find(({ name }) => spec.nodes.names.includes(name)) ?? known[0]
  const asker = parts && gatesOf(spec, { api: parts }, env)
  return Promise.all(
    (spec.gates ?? []).map(async (gate): Promise<GateFound> => {
      const place = isFor(gate, 'nodes') ? placeOf(node) : machineOf(spec)
      if (place === undefined || asker === undefined) return { name: gate.name, node: '' }
      const limitMs = Math.min(CHECK_LIMIT_MS, gate.timeoutMs)
      const answer = await attempt(signal, (limited) => asker.ask(gate, place, limited), limitMs)
      return { name: gate.name, node: place.node, answer }
    }),
  )
}

function placeOf(node: Node | undefined): NodePlace | undefined {
  const [address] = node?.internalAddresses ?? []
  return node && { node: node.name, ...present({ address }) }
}

/** A gate only for machines is asked about the first of them. */
function machineOf({ hosts }: RollSpec): NodePlace | undefined {
  const [machine] = hosts?.pairs[0]?.machines ?? []
  return machine && { node: machine.name, address: machine.ssh }
}

const findPrograms = ({ hooks = [] }: RollSpec, { env: { PATH = '' } }: Looking): Promise<readonly ProgramsFound[]> =>
  Promise.all(
    hooks.map(async ({ name, run, undo }): Promise<ProgramsFound> => {
      for (const [program = ''] of [run, ...(undo === undefined ? [] : [undo])])
        if (!(await hasProgram(program, PATH))) return { name, missing: program }
      return { name }
    }),
  )

const findReceivers = (
  { notify = [] }: RollSpec,
  { env }: Looking,
  signal: AbortSignal,
): Promise<readonly ReceiverFound[]> =>
  Promise.all(
    notify.map(async ({ name, target }): Promise<ReceiverFound> => {
      const answer = await attempt(signal, async () => {
        await secretsOf(target, env)
        return undefined
      })
      return { name, answer }
    }),
  )

async function askSilencers(
  { silences = [] }: RollSpec,
  { env }: Looking,
  signal: AbortSignal,
): Promise<readonly SilencerFound[]> {
  const holds = new HttpHolds({ timers: systemTimers })
  return Promise.all(
    silences.map(async ({ name, url, headers, timeoutMs }): Promise<SilencerFound> => {
      const limitMs = Math.min(CHECK_LIMIT_MS, timeoutMs)
      const asked = await attempt(
        signal,
        async (limited) => {
          const read = headers.map(async (header) => [header.name, await readSecret(header.value, env)] as const)
          const question = { url: statusUrl(url), headers: Object.fromEntries(await Promise.all(read)) }
          return holds.ask({ ...question, timeoutMs: limitMs }, limited)
        },
        CHECK_LIMIT_MS,
      )
      if (asked.is === 'failed') return { name, answer: asked }
      const { value } = asked
      if (value.kind === 'unknown') return { name, answer: { is: 'failed', text: value.why } }
      return { name, answer: { is: 'found', value: value.evidence } }
    }),
  )
}

/**
 * The status of Alertmanager, by version 2 of its API:
 * https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml.
 */
function statusUrl(base: string): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v2/status`
  return url.href
}
