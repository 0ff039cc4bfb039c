import { doctorChecks } from '../../../../src/explain/decide/doctor/doctor-checks.ts'
import type { Check, Found, InstanceFound } from '../../../../src/explain/decide/doctor/doctor-snapshot.ts'
import type { PlanFinding } from '../../../../src/ground/model/plan-finding.ts'
import { SLOT_STALE_MS } from '../../../../src/ground/model/slot.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { RollPlan } from '../../../../src/roll/model/roll-plan.ts'
import { trySlot } from '../../../../src/roll/run/prepare.ts'
import { SlotsReader } from '../../../../src/service/run/slots-reader.ts'
import type { VirtualRoll } from '../virtual-roll.ts'

/** What `evenkeel doctor` says of the world of a roll, by its file: all but what it asks this machine, and the rights. */
async function doctorOf(roll: VirtualRoll, signal: AbortSignal): Promise<readonly Check[]> {
  const { cluster, clock, balancers, endpoints } = roll.ports()
  const { spec } = roll
  const { namespace } = spec.slots
  const readers = [...balancers, ...endpoints]
  const inspect = async (balancer: string, instance: string): Promise<InstanceFound> => {
    const reader = readers.find(({ name }) => name === balancer)
    return reader === undefined
      ? { balancer, instance }
      : { balancer, instance, inspection: await attempt(() => reader.inspect(instance, signal)) }
  }
  const slots = new SlotsReader({ cluster, clock, namespace, durationMs: SLOT_STALE_MS })
  return doctorChecks({
    ...{ ssh: '/usr/bin/ssh', stateDirectory: { is: 'found', value: '/state' } },
    file: { is: 'found', value: { name: 'roll.yaml', spec } },
    kubeconfig: { is: 'found', value: { files: [], context: { context: 'virtual', server: '', user: '' } } },
    api: { is: 'found', value: { server: cluster.server, version: 'v1.35.0' } },
    rights: { is: 'found', value: { wanted: 1, forbidden: [], spared: [] } },
    slot: await attempt(() => trySlot({ cluster, namespace }, [], signal)),
    slots: await attempt(() => slots.read(1, signal)),
    nodes: await attempt(() => cluster.list('nodes', signal)),
    slices: await attempt(() => cluster.list('endpointslices', signal)),
    instances: await Promise.all(
      spec.balancers.flatMap(({ name, instances }) => instances.map((instance) => inspect(name, instance))),
    ),
  })
}

async function attempt<T>(read: () => Promise<T>): Promise<Found<T>> {
  try {
    return { is: 'found', value: await read() }
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    return { is: 'failed', text: error.message, code: error.code }
  }
}

const LIMIT_MS = 120_000

/** Undefined: doctor finds missing what keeps the roll from beginning by the plan, and nothing else, as far as both look at it. */
export async function unlikeDoctor(roll: VirtualRoll, { findings }: RollPlan): Promise<string | undefined> {
  const checks = await roll.cluster.time.settle(doctorOf(roll, new AbortController().signal), LIMIT_MS)
  const said = checks.filter(({ state }) => state !== 'ok').map(({ text }) => text)
  const ofBoth = findings.filter(isOfBoth)
  const refusals = findings.filter(({ severity }) => severity === 'error' || severity === 'block')
  // Of nodes with the same fault doctor names the first in full.
  const whole = new Set(ofBoth.filter(({ text }) => said.some((one) => one.startsWith(text))).map(({ code }) => code))
  const unsaid = ofBoth.filter(({ code }) => !whole.has(code))
  const alone = checks.filter(
    ({ state, text }) => state === 'missing' && !refusals.some((one) => text.startsWith(one.text)),
  )
  const lines = [
    ...unsaid.map(({ code, text }) => `doctor does not say ${code}: ${text}`),
    ...alone.map(({ name, text }) => `only doctor says of ${name}: ${text}`),
  ]
  return lines.length === 0 ? undefined : lines.join('; ')
}

const OF_BOTH = /^(Balancer|BALANCER|Agent|Slot|BootIdShared|NoNodes|Node(Unbalanced|NotOnInstance|Unknown))/

/** What doctor looks at too: balancers, slots, and what earlier runs left on nodes. */
const isOfBoth = ({ severity, code }: PlanFinding): boolean =>
  (severity === 'error' && OF_BOTH.test(code)) ||
  code === 'LastUsableServer' ||
  code === 'SlotTaken' ||
  code === 'NodeRecorded'
