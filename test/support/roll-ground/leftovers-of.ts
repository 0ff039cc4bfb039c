import type { RollGround } from './roll-ground.ts'
import { serversOf } from './servers-of.ts'

/** What a roll must not leave behind, as one line each: records, marks on pods, taints, cordons, servers that are out. */
export async function leftoversOf(ground: Pick<RollGround, 'list' | 'balancer'>): Promise<readonly string[]> {
  const nodes = await ground.list('/api/v1/nodes')
  const pods = (await ground.list('/api/v1/pods')).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const servers = await serversOf(ground)
  return [
    ...[...nodes, ...pods].flatMap(({ metadata }) =>
      Object.keys(metadata.annotations ?? {})
        .filter((key) => key.startsWith('evenkeel'))
        .map((key) => `${metadata.name} annotation ${key}`),
    ),
    ...nodes.flatMap(({ metadata, spec }) => (spec.taints ?? []).map(({ key }) => `${metadata.name} taint ${key}`)),
    ...nodes.filter(({ spec }) => spec.unschedulable === true).map(({ metadata }) => `${metadata.name} cordoned`),
    ...servers.filter(({ state }) => state !== 'ready').map(({ name, state }) => `${name} ${state}`),
  ]
}
