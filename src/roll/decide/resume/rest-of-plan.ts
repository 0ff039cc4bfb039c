import type { RollPlan } from '../../model/roll-plan.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { MachineMemory } from '../pair/machine-memory.ts'

/** A node, or a machine of a load balancer, that may be down right now. `hasRebooted`: the run will not reboot it any more. */
export interface UnderWay {
  readonly name: string
  readonly kind: 'node' | 'host'
  readonly hasRebooted: boolean
}

interface HostsOfRun {
  readonly spec: Pick<RollSpec, 'hosts'>
  readonly hosts?: {
    readonly order: readonly string[]
    readonly done: readonly string[]
    readonly memory: Readonly<Record<string, MachineMemory>>
  }
}

/**
 * Machines that the run still has to roll: one that it skips, or is done with, is not rebooted, whatever the plan says about it
 * now. Undefined: the run has no machines.
 */
export const hostsLeft = ({ hosts }: HostsOfRun): readonly string[] | undefined =>
  hosts?.order.filter((host) => !hosts.done.includes(host))

/**
 * Machines whose reboot is announced, or was seen. If no other machine of their pair is left to roll, its partners may be down
 * too: the roll waits for them.
 */
export function hostsUnderWay(run: HostsOfRun): readonly UnderWay[] {
  const left = hostsLeft(run) ?? []
  const memoryOf = (name: string): MachineMemory => run.hosts?.memory[name] ?? {}
  const isAnnounced = (name: string): boolean => memoryOf(name).intent === true || memoryOf(name).isProven === true
  const pairs = run.spec.hosts?.pairs ?? []
  return pairs.flatMap(({ machines }) => {
    const names = machines.map(({ name }) => name)
    const announced = names.filter((name) => left.includes(name) && isAnnounced(name))
    const isRest = announced.length > 0 && names.every((name) => !left.includes(name) || isAnnounced(name))
    return (isRest ? names : announced).map((name): UnderWay => {
      const hasRebooted = !left.includes(name) || memoryOf(name).isProven === true
      return { name, kind: 'host', hasRebooted }
    })
  })
}

/**
 * Why the plan of a resumed run can still be refused. A node or machine under way may be down right now, so most findings about
 * it do not matter. For a node only those count that say that the way to its machine, or its right to reboot, is wrong. For a
 * machine its own findings count as well, since it still has to take its addresses back. A run with nothing left is no error.
 */
export function restOfPlan(plan: RollPlan, underWay: readonly UnderWay[]): RollPlan {
  const known = new Map(underWay.map((one) => [one.name, one]))
  const findings = plan.findings.filter(({ code, node = '' }) => {
    const one = known.get(node)
    return one === undefined ? code !== 'NoNodes' : mindedOf(one).has(code)
  })
  return { ...plan, findings }
}

function mindedOf({ kind, hasRebooted }: UnderWay): ReadonlySet<string> {
  if (kind === 'node') return NODE_CODES
  return hasRebooted ? MOVE_CODES : HOST_CODES
}

const WAY_CODES = ['HOST_DENIED', 'HOST_KEY', 'HOST_NAME', 'HOST_NO_SSH', 'HOST_SSH_CONFIG', 'HOST_UNRESOLVED']
const NODE_CODES: ReadonlySet<string> = new Set([...WAY_CODES, 'HostMayNotReboot'])
const MOVE_CODES: ReadonlySet<string> = new Set([...WAY_CODES, 'HostCannotMove', 'HostIsNode', 'HostTwice'])
const HOST_CODES: ReadonlySet<string> = new Set([...MOVE_CODES, 'HostMayNotReboot', 'HostIsOurs'])
