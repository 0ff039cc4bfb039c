import { setTimeout as pause } from 'node:timers/promises'
import type { SeenObject } from '../roll-ground/roll-ground.ts'
import { serversOf } from '../roll-ground/servers-of.ts'
import type { RollBed } from './roll-bed.ts'

interface SeenPod extends SeenObject {
  readonly metadata: SeenObject['metadata'] & { readonly ownerReferences?: readonly { readonly kind: string }[] }
  readonly spec: SeenObject['spec'] & {
    readonly tolerations?: readonly { readonly key?: string; readonly operator?: string; readonly effect?: string }[]
  }
  readonly status: { readonly phase: string }
}

/** Its scheduler puts such a pod back on a cordoned node, as that of the bed's CoreDNS: a drain cannot keep it off. */
const toleratesCordon = ({ spec: { tolerations = [] } }: SeenPod): boolean =>
  tolerations.some(({ key, operator }) => key === undefined && operator === 'Exists')

interface SeenLease extends SeenObject {
  readonly spec: SeenObject['spec'] & { readonly holderIdentity?: string }
}

/** The nodes for which a slot of the node budget is held. */
export async function heldSlots({ list }: RollBed): Promise<readonly string[]> {
  const leases = (await list('/apis/coordination.k8s.io/v1/namespaces/evenkeel/leases')) as readonly SeenLease[]
  return leases
    .filter(({ metadata, spec }) => metadata.name.startsWith('evenkeel-slot') && (spec.holderIdentity ?? '') !== '')
    .map(({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] ?? '?')
}

/** Sessions of each server, as `backend/server`, by `show stat` (management.txt 9.1). */
async function sessionsOf({ balancer }: RollBed): Promise<ReadonlyMap<string, number>> {
  const [header = '', ...lines] = (await balancer('show stat')).split('\n')
  const names = header.replace(/^# /, '').split(',')
  const [backend, server, sessions] = ['pxname', 'svname', 'scur'].map((name) => names.indexOf(name))
  return new Map(
    lines
      .map((line) => line.split(','))
      .map((fields) => [`${fields[backend ?? 0]}/${fields[server ?? 1]}`, Number(fields[sessions ?? 2])]),
  )
}

/** What keeps a node from being out of service, as the cluster and the balancer show it; empty: it may reboot. */
export async function notYetOut(opened: RollBed, node: string): Promise<readonly string[]> {
  const [nodes, pods, servers, sessions, slots] = await Promise.all([
    opened.nodeObjects(),
    opened.list('/api/v1/pods') as Promise<readonly SeenPod[]>,
    serversOf(opened),
    sessionsOf(opened),
    heldSlots(opened),
  ])
  const isCordoned = nodes.some(({ metadata, spec }) => metadata.name === node && spec.unschedulable === true)
  const here = servers.filter(({ name }) => name.endsWith(`/${node}`))
  const stay = pods.filter((pod) => {
    const { metadata, spec, status } = pod
    const kind = metadata.ownerReferences?.[0]?.kind
    const isOver = status.phase === 'Succeeded' || status.phase === 'Failed'
    return spec.nodeName === node && !isOver && kind !== 'DaemonSet' && !toleratesCordon(pod)
  })
  return [
    ...(isCordoned ? [] : ['it is not cordoned']),
    ...(here.length === 0 ? ['the balancer has no server of it'] : []),
    ...here.filter(({ state }) => state === 'ready').map(({ name }) => `${name} is ready`),
    ...here
      .filter(({ name }) => sessions.get(name) !== 0)
      .map(({ name }) => `${name} has ${sessions.get(name)} sessions`),
    ...stay.map(({ metadata }) => `${metadata.name} is on it`),
    ...(slots.join() === node ? [] : [`slots are held for: ${slots.join(', ')}`]),
  ]
}

const LOOK_EVERY_MS = 200

/** Watches from now on which nodes are out at the same time; `stop` says each set that was seen, as `n1, n2`. */
export function watchOut(opened: RollBed): { stop(): Promise<readonly string[]> } {
  const over = new AbortController()
  const seen = new Set<string>()
  const watching = (async () => {
    while (!over.signal.aborted) {
      seen.add((await nodesOut(opened)).join(', '))
      await pause(LOOK_EVERY_MS)
    }
  })()
  return {
    stop: async () => {
      over.abort()
      await watching
      return [...seen].filter((names) => names !== '').toSorted()
    },
  }
}

/** Those that are cordoned, not Ready, or with a server that is not ready. */
async function nodesOut(opened: RollBed): Promise<readonly string[]> {
  const [nodes, servers] = await Promise.all([opened.nodeObjects(), serversOf(opened)])
  return nodes
    .filter(({ metadata: { name }, spec, status }) => {
      const isReady = status.conditions.some((one) => one.type === 'Ready' && one.status === 'True')
      const isServed = servers.every((server) => !server.name.endsWith(`/${name}`) || server.state === 'ready')
      return spec.unschedulable === true || !isReady || !isServed
    })
    .map(({ metadata }) => metadata.name)
}
