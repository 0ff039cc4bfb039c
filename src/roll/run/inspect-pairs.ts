import type { PlanFinding } from '../../ground/model/plan-finding.ts'
import type { RebootNeedSpec } from '../../ground/model/reboot-need.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Host } from '../../ground/ports/host.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import type { SshWay } from '../decide/plan/host-findings.ts'
import { type MachineInquiry, pairFindings, plannedHosts } from '../decide/plan/pair-findings.ts'
import { hostNeed, type RebootNeed } from '../decide/plan/reboot-need.ts'
import type { HostPair, HostsSpec, PairMachine } from '../model/host-pair.ts'
import type { NodeWhy, PlannedHost } from '../model/roll-plan.ts'
import type { HostMachines, MachineAnswer } from '../ports/host-machines.ts'

interface PairsAsked {
  readonly ssh?: SshWay
  readonly host: Host
  /** Absent: no machine can be asked. */
  readonly machines: HostMachines | undefined
  readonly hosts: HostsSpec | undefined
  /** Machines that a run under way has yet to bring through. Absent: all of `hosts`. */
  readonly hostsLeft?: readonly string[] | undefined
  /** Names of all nodes of the cluster. */
  readonly nodes: readonly string[]
  readonly instances: readonly InstanceSnapshot[]
  /** Absent: every machine is rolled. */
  readonly onlyIfNeeded?: RebootNeedSpec | undefined
}

interface PairsSeen {
  readonly findings: readonly PlanFinding[]
  readonly hosts?: readonly PlannedHost[]
  readonly hostsSkipped?: readonly NodeWhy[]
}

/**
 * Asks the machines of the load balancers before the first step, and judges the answers. Changes nothing. A pair of which no machine
 * is left is not asked; of any other pair each machine is, since it must be whole.
 */
export async function inspectPairs(asked: PairsAsked, signal: AbortSignal): Promise<PairsSeen> {
  const { machines, host, hostsLeft } = asked
  if (asked.hosts === undefined || machines === undefined) return { findings: [] }
  const isLeft = ({ name }: PairMachine): boolean => hostsLeft?.includes(name) ?? true
  const hosts = { ...asked.hosts, pairs: asked.hosts.pairs.filter((pair) => pair.machines.some(isLeft)) }
  const all = hosts.pairs.flatMap((pair) => pair.machines.map((machine) => ({ pair, machine })))
  const [ownBootId, ...inquiries] = await Promise.all([
    host.ownBootId(signal),
    ...all.map((place) => inquire({ ...place, host, machines }, signal)),
  ])
  const needs = needsOf(inquiries, asked.onlyIfNeeded)
  for (const { machine } of all) if (!isLeft(machine)) needs.set(machine.name, NOT_LEFT)
  return {
    findings: pairFindings(inquiries, { ...asked, hosts, ownBootId, needs }),
    hosts: plannedHosts(inquiries, needs),
    hostsSkipped: [...needs].flatMap(([node, need]) => (need.kind === 'none' ? [{ node, why: need.why }] : [])),
  }
}

const NOT_LEFT: RebootNeed = { kind: 'none', why: 'the run is through with it, or skips it' }

function needsOf(inquiries: readonly MachineInquiry[], spec: RebootNeedSpec | undefined): Map<string, RebootNeed> {
  const needs = inquiries.flatMap(({ machine: { name }, answer }) => {
    const need = spec && hostNeed(name, spec, answer)
    return need === undefined ? [] : [[name, need] as const]
  })
  return new Map(needs)
}

interface Inquiry {
  readonly pair: HostPair
  readonly machine: PairMachine
  readonly host: Host
  readonly machines: HostMachines
}

type Asked = Pick<Inquiry, 'pair' | 'machines'> & { readonly ssh: string }

async function readiness({ pair, ssh, machines }: Asked, signal: AbortSignal): Promise<MachineAnswer> {
  if (pair.checkMove === undefined) return { ok: true }
  return await machines.run(ssh, { argv: pair.checkMove, limitMs: pair.commandTimeoutMs }, signal)
}

async function inquire({ pair, machine, host, machines }: Inquiry, signal: AbortSignal): Promise<MachineInquiry> {
  const { ssh } = machine
  try {
    const reading = await machines.read(ssh, signal)
    const checked = await host.check({ node: ssh, address: ssh }, signal)
    const ready = await readiness({ pair, ssh, machines }, signal)
    return {
      pair,
      machine,
      answer: { kind: 'answered', machine: reading, reading: checked, ...(ready.ok ? {} : { cannotMove: ready.text }) },
    }
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    return { pair, machine, answer: { kind: 'failed', code: error.code, text: error.message } }
  }
}
