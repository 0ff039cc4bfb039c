import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import { serversAtAddress } from '../../../service/decide/match-node-servers.ts'
import { isSilent, silentInstance } from '../../../service/decide/node-servers.ts'
import { type AdminState, type ServerReading, serverKey } from '../../../service/model/balancer.ts'
import type { MachineSnapshot, MachineState } from './machine-snapshot.ts'

type Pair = Pick<MachineSnapshot, 'pair' | 'host' | 'machines' | 'instances'>

/** Asked at that time or later, and answered. */
export const answersSince = ({ reading, askedAt, silentForMs }: MachineState, since: MonoMs | undefined): boolean =>
  reading !== undefined && silentForMs === 0 && (since === undefined || (askedAt ?? 0) >= since)

const silentMachine = ({ machine, error }: MachineState): Reason => ({
  code: 'HostSilent',
  object: machine.name,
  text: error === undefined ? `${machine.name} has not answered yet` : `${machine.name} does not answer: ${error}`,
})

/** Each machine that does not answer, or has not been asked since. */
export const silentMachines = ({ machines }: Pair, since?: MonoMs): readonly Reason[] =>
  machines.filter((facts) => !answersSince(facts, since)).map(silentMachine)

/** The machine in work. */
export const ownMachine = ({ machines, host }: Pair): MachineState | undefined =>
  machines.find(({ machine }) => machine.name === host.name)

/** Exact addresses, of machines that answer. */
const holders = ({ machines }: Pair, address: string): readonly string[] =>
  machines
    .filter(({ reading, silentForMs }) => silentForMs === 0 && reading?.addresses.includes(canonicalAddress(address)))
    .map(({ machine }) => machine.name)

/**
 * What is wrong with the virtual addresses: each has to be on exactly one machine. It says nothing of machines that do not answer:
 * check these first.
 *
 * Law: a virtual address that is on several machines of a pair, or on none, holds the roll.
 */
export function addressFaults(s: Pair): readonly Reason[] {
  return s.pair.addresses.flatMap((address): readonly Reason[] => {
    const found = holders(s, address)
    if (found.length === 1) return []
    if (found.length === 0) {
      const names = s.machines.map(({ machine }) => machine.name).join(' and ')
      return [{ code: 'AddressOnNone', object: address, text: `${address} is on none of ${names}` }]
    }
    const text = `${address} is on ${found.join(' and ')} at the same time`
    return [{ code: 'AddressOnSeveral', object: address, text }]
  })
}

/** Addresses that the machine in work still has. */
export const addressesHere = (s: Pair): readonly Reason[] =>
  s.pair.addresses
    .filter((address) => holders(s, address).includes(s.host.name))
    .map((address) => ({
      code: 'AddressStillHere',
      object: address,
      text: `${address} is still on ${s.host.name}`,
    }))

/** What is wrong with the addresses once they were moved away. Empty: each is on one other machine. */
export function stillHere(s: Pair): readonly Reason[] {
  const faults = addressFaults(s)
  return faults.length > 0 ? faults : addressesHere(s)
}

export const ownInstances = ({ instances, host }: Pair): readonly InstanceSnapshot[] =>
  instances.filter(({ instance }) => host.instances.includes(instance))

export const peerInstances = ({ instances, host }: Pair): readonly InstanceSnapshot[] =>
  instances.filter(({ instance }) => !host.instances.includes(instance))

export const silentInstances = (instances: readonly InstanceSnapshot[]): readonly Reason[] =>
  instances.filter(isSilent).map(silentInstance)

/** The other machines that do not answer, and their instances. */
export const othersSilent = (s: Pair): readonly Reason[] => [
  ...silentMachines({ ...s, machines: otherMachines(s) }),
  ...silentInstances(peerInstances(s)),
]

/** 0: another machine answers, and so do its instances. Else how long none has; infinite where none ever did. */
export const othersSilentMs = (s: Pair): number =>
  Math.min(
    ...otherMachines(s).map((state) => {
      const instances = s.instances.filter(({ instance }) => state.machine.instances.includes(instance))
      const silences = [state, ...instances].map(({ reading, silentForMs }) =>
        reading === undefined ? Number.POSITIVE_INFINITY : silentForMs,
      )
      return Math.max(...silences)
    }),
  )

const otherMachines = ({ machines, host }: Pair): readonly MachineState[] =>
  machines.filter(({ machine }) => machine.name !== host.name)

/**
 * The same server at another instance of the same balancer: where one of them was reloaded with other names, the one that leads to the
 * same address. One that has no server there may reach the machine by another address: then the name decides.
 */
export function twins(s: Pair, { ref, address, port }: ServerReading): readonly ServerReading[] {
  const own = s.instances.find(({ instance }) => instance === ref.instance)
  return peerInstances(s)
    .filter(({ balancer }) => balancer === own?.balancer)
    .flatMap(({ reading }) => {
      const servers = reading?.servers ?? []
      const there = serversAtAddress(address, servers).filter(
        (it) => it.ref.backend === ref.backend && it.port === port,
      )
      const named = (it: ServerReading): boolean => it.ref.backend === ref.backend && it.ref.server === ref.server
      const both = there.filter(named)
      if (both.length > 0) return both
      return there.length > 0 ? there : servers.filter(named)
    })
}

export const serversOf = (instances: readonly InstanceSnapshot[]): readonly ServerReading[] =>
  instances.flatMap(({ reading, backends }) =>
    (reading?.servers ?? []).filter(({ ref }) => backends.includes(ref.backend)),
  )

/** What is wrong where not each machine was asked since then and answers, each address is on one, and all instances answer and agree. */
export function notWhole(s: Pair, since?: MonoMs): readonly Reason[] {
  const silent = [...silentMachines(s, since), ...silentInstances(s.instances)]
  return silent.length > 0 ? silent : [...addressFaults(s), ...disagreements(s)]
}

/** One instance says that a server is out, and another that it is not: a node may be in work, or a command got lost. */
export function disagreements(s: Pair): readonly Reason[] {
  return serversOf(ownInstances(s)).flatMap((server): readonly Reason[] => {
    const other = twins(s, server).find(({ ownState }) => isOut(ownState) !== isOut(server.ownState))
    if (other === undefined) return []
    const text = `${serverKey(server.ref)} is ${server.ownState}, and ${other.ref.instance} says ${other.ownState}`
    return [{ code: 'PairDisagrees', object: serverKey(server.ref), text }]
  })
}

/** A server that takes traffic here, and none at the instances that are to take all of it. */
export function notTakenOver(s: Pair): readonly Reason[] {
  return serversOf(ownInstances(s)).flatMap((server): readonly Reason[] => {
    if (isOut(server.ownState) || server.operational !== 'up') return []
    const other = twins(s, server).find(({ operational }) => operational !== 'up')
    if (other === undefined) return []
    const text = `${serverKey(server.ref)} is up, and ${other.ref.instance} has it ${other.operational}`
    return [{ code: 'PairDisagrees', object: serverKey(server.ref), text }]
  })
}

export const isOut = (state: AdminState): boolean => state !== 'ready'
