import type { HostReading } from '../../../ground/model/host.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import type { HostPair, HostsSpec, MachineReading, PairMachine } from '../../model/host-pair.ts'
import type { PlannedHost } from '../../model/roll-plan.ts'
import type { MachineState } from '../pair/machine-snapshot.ts'
import { addressFaults, disagreements, notTakenOver } from '../pair/pair-state.ts'
import { reachFix, type SshWay } from './host-findings.ts'
import type { RebootNeed } from './reboot-need.ts'

/** The answer of one machine of a pair, before anything is begun. */
export interface MachineInquiry {
  readonly pair: HostPair
  readonly machine: PairMachine
  readonly answer:
    | {
        readonly kind: 'answered'
        readonly machine: MachineReading
        readonly reading: HostReading
        readonly cannotMove?: string
      }
    | { readonly kind: 'failed'; readonly code: string; readonly text: string }
}

interface PairsAround {
  readonly ssh?: SshWay
  readonly hosts: HostsSpec
  readonly nodes: readonly string[]
  readonly instances: readonly InstanceSnapshot[]
  /** The boot id of the machine that this process runs on, if it can be read. */
  readonly ownBootId: string | undefined
  /** Machine → whether it needs its reboot; a machine that is missing is rolled. */
  readonly needs?: ReadonlyMap<string, RebootNeed>
}

const isSkipped = (needs: PairsAround['needs'], { name }: PairMachine): boolean => needs?.get(name)?.kind === 'none'

/**
 * What forbids a reboot of the load balancers' machines. A machine that is not rebooted has to answer, too, if its pair must be
 * whole.
 */
export function pairFindings(inquiries: readonly MachineInquiry[], around: PairsAround): readonly PlanFinding[] {
  const { needs, hosts } = around
  const rolled = inquiries.filter(({ machine }) => !isSkipped(needs, machine))
  const pairs = hosts.pairs.filter(({ machines }) => machines.some((machine) => !isSkipped(needs, machine)))
  const partners = inquiries.filter(({ pair, machine }) => isSkipped(needs, machine) && pairs.includes(pair))
  return [
    ...rolled.flatMap((inquiry) => machineFindings(inquiry, around)),
    ...partners.flatMap((inquiry) => unreachable(inquiry, around)),
    ...rolled.flatMap(({ machine }) => {
      const need = needs?.get(machine.name)
      return need?.kind === 'unknown' ? need.findings : []
    }),
    ...pairs.flatMap((pair) => wholeness(pair, inquiries, around)),
  ]
}

/** Machines that are rolled. */
export const plannedHosts = (
  inquiries: readonly MachineInquiry[],
  needs?: ReadonlyMap<string, RebootNeed>,
): readonly PlannedHost[] =>
  inquiries.flatMap(({ pair, machine, answer }) => {
    const need = needs?.get(machine.name)
    if (need?.kind === 'none') return []
    return {
      host: machine.name,
      pair: pair.name,
      instances: machine.instances,
      bootId: answer.kind === 'answered' ? answer.machine.bootId : '',
      addresses:
        answer.kind === 'answered' ? pair.addresses.filter((one) => answer.machine.addresses.includes(one)) : [],
      ...(need?.kind === 'needed' ? { needs: need.why } : {}),
    }
  })

function unreachable({ machine, answer }: MachineInquiry, { ssh: way }: PairsAround): readonly PlanFinding[] {
  if (answer.kind === 'answered') return []
  const { code, text } = answer
  return [{ severity: 'error', node: machine.name, code, text, fix: reachFix(code, machine.ssh, way) }]
}

function machineFindings(inquiry: MachineInquiry, around: PairsAround): readonly PlanFinding[] {
  const { machine, answer } = inquiry
  const { name } = machine
  const about = { severity: 'error', node: name } as const
  const twice = around.nodes.includes(name)
    ? [
        {
          ...about,
          code: 'HostIsNode',
          text: `${name} is a node of the cluster`,
          fix: 'remove it from "hosts": the roll reboots its nodes anyway',
        },
      ]
    : []
  if (answer.kind === 'failed') return [...twice, ...unreachable(inquiry, around)]
  const { mayReboot, refusal } = answer.reading
  const text = `${name} cannot be rebooted this way: ${refusal ?? 'it gave no reason'}`
  const fix = 'change the command of "reboot" in the file or reboot.ssh.user, or allow it in sudoers'
  const mayNot = mayReboot ? [] : [{ ...about, code: 'HostMayNotReboot', text, fix }]
  return [...twice, ...mayNot, ...cannotMove(name, answer.cannotMove), ...ownMachine(name, answer.machine, around)]
}

function cannotMove(name: string, why: string | undefined): readonly PlanFinding[] {
  if (why === undefined) return []
  const text = `${name} cannot move its addresses: ${why}`
  const fix = `install what is missing on ${name}, or correct trackFile or holdConnections in "hosts"`
  return [{ severity: 'error', code: 'HostCannotMove', node: name, text, fix }]
}

function ownMachine(name: string, { bootId }: MachineReading, { ownBootId }: PairsAround): readonly PlanFinding[] {
  if (ownBootId === undefined || ownBootId !== bootId) return []
  const text = `this process runs on ${name}, and its reboot would end the roll half-way`
  const fix = 'run the roll from a machine that is not rolled, or remove this one from "hosts"'
  return [{ severity: 'error', code: 'HostIsOurs', node: name, text, fix }]
}

/** Two machines that are the same one, addresses that are on no machine or on several, and instances that disagree. */
function wholeness(
  pair: HostPair,
  inquiries: readonly MachineInquiry[],
  { instances, needs }: PairsAround,
): readonly PlanFinding[] {
  const asked = inquiries.filter((inquiry) => inquiry.pair === pair)
  const machines = asked.flatMap(
    ({ machine, answer }): readonly (MachineState & { readonly reading: MachineReading })[] =>
      answer.kind === 'answered' ? [{ machine, reading: answer.machine, silentForMs: 0 }] : [],
  )
  const [host] = pair.machines
  if (host === undefined || machines.length < asked.length) return []
  const known = new Set(machines.map(({ reading }) => reading.bootId))
  if (known.size < machines.length) {
    const names = machines.map(({ machine }) => machine.name).join(' and ')
    const text = `${names} of ${pair.name} answer with the same boot id, so two of them are one machine`
    return [{ severity: 'error', code: 'HostTwice', text, fix: 'correct "ssh" of the machines' }]
  }
  const own = new Set(pair.machines.flatMap((machine) => machine.instances))
  const asWhole = { pair, host, machines, instances: instances.filter(({ instance }) => own.has(instance)) }
  const ofPair = [...addressFaults(asWhole), ...disagreements(asWhole)].map((reason) => ({
    ...reason,
    node: host.name,
    held: `no machine of ${pair.name} is`,
  }))
  const ofMachine = pair.machines
    .filter((machine) => !isSkipped(needs, machine))
    .flatMap((machine) =>
      notTakenOver({ ...asWhole, host: machine }).map((reason) => ({
        ...reason,
        node: machine.name,
        held: `${machine.name} is not`,
      })),
    )
  return [...ofPair, ...ofMachine].map(({ code, text, node, held }) => ({
    severity: 'hold',
    code,
    node,
    text: `${text}: ${held} rebooted meanwhile`,
  }))
}
