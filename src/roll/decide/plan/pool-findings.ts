import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { isUsable } from '../../../service/decide/last-usable-server.ts'
import { allowedServers, matchNodeServers } from '../../../service/decide/match-node-servers.ts'
import type { BackendInspection, InstanceInspection } from '../../../service/model/balancer-inspection.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

type Pool = Pick<PlanSnapshot, 'instances' | 'inspections'>

/** What each backend has left on each instance while one node is out, and where the instances of one balancer differ. */
export function poolFindings(s: Pool, nodes: readonly Node[]): readonly PlanFinding[] {
  return [...fewServers(s, nodes), ...differences(s), ...s.inspections.flatMap(redispatch)]
}

/** The last server has a finding for each node: see `LastUsableServer`. */
function fewServers({ instances }: Pool, nodes: readonly Node[]): readonly PlanFinding[] {
  const served = new Set(
    nodes.flatMap((node) =>
      matchNodeServers(node, instances).map(({ reading: { ref } }) => `${ref.backend} on ${ref.instance}`),
    ),
  )
  return instances.flatMap((instance) =>
    [...Map.groupBy(allowedServers(instance).filter(isUsable), ({ ref }) => ref.backend)].flatMap(
      ([backend, servers]) => {
        const name = `${backend} on ${instance.instance}`
        if (servers.length !== 2 || !served.has(name)) return []
        return [
          {
            severity: 'warning' as const,
            code: 'BalancerFewServers',
            text: `${name} has 2 usable servers: 1 is left while a node is out, and takes all of its load`,
            fix: `add a server to ${backend}, or make sure that one is enough`,
          },
        ]
      },
    ),
  )
}

/** A node has to leave both instances, and clients may use either. */
function differences({ instances, inspections }: Pool): readonly PlanFinding[] {
  return [...Map.groupBy(instances, ({ balancer }) => balancer)].flatMap(([balancer, pair]) => {
    const seen = pair.flatMap(({ instance }) => inspections.filter((inspection) => inspection.instance === instance))
    const [first, ...others] = seen
    if (first === undefined) return []
    return others.flatMap((other) =>
      first.backends.flatMap((backend) => {
        const twin = other.backends.find(({ name }) => name === backend.name)
        const what = twin === undefined ? [] : differing(backend, twin)
        return what.length === 0 ? [] : [differs({ balancer, backend: backend.name, pair: [first, other], what })]
      }),
    )
  })
}

interface Difference {
  readonly balancer: string
  readonly backend: string
  readonly pair: readonly [InstanceInspection, InstanceInspection]
  readonly what: readonly string[]
}

const differs = ({ balancer, backend, pair: [one, other], what }: Difference): PlanFinding => ({
  severity: 'warning',
  code: 'BalancerPairDiffers',
  text: `backend ${backend} of balancer ${balancer} is not the same on ${one.instance} and ${other.instance}: ${what.join('; ')}`,
  fix: `give both the same haproxy.cfg, and reload the one that has the old one`,
})

function differing(one: BackendInspection, other: BackendInspection): readonly string[] {
  const what: string[] = []
  if (one.mode !== other.mode) what.push(`mode ${one.mode} and ${other.mode}`)
  if (one.stickTable !== other.stickTable) what.push('a stick table on one of them')
  const [left, right] = [byName(one), byName(other)]
  const lacking = [...symmetric(left, right)]
  if (lacking.length > 0) what.push(`${lacking.slice(0, 3).join(', ')} on one of them alone`)
  for (const [name, server] of left) {
    const twin = right.get(name)
    if (twin === undefined) continue
    const words = [
      ...(server.address === twin.address && server.port === twin.port ? [] : ['address']),
      ...(server.weight === twin.weight ? [] : ['weight']),
      ...(server.backup === twin.backup ? [] : ['backup']),
      ...((server.check === 'none') === (twin.check === 'none') ? [] : ['check']),
      ...(server.persistent === twin.persistent ? [] : ['cookie']),
    ]
    if (words.length > 0 && what.length < 3) what.push(`${words.join(', ')} of server ${name}`)
  }
  return what
}

const byName = ({ servers }: BackendInspection): ReadonlyMap<string, BackendInspection['servers'][number]> =>
  new Map(servers.map((server) => [server.ref.server, server]))

const symmetric = (left: ReadonlyMap<string, unknown>, right: ReadonlyMap<string, unknown>): ReadonlySet<string> =>
  new Set([...left.keys(), ...right.keys()].filter((name) => !(left.has(name) && right.has(name))))

/** Without it, a client that a cookie ties to a server which is down gets a 503. */
function redispatch({ instance, backends }: InstanceInspection): readonly PlanFinding[] {
  return backends
    .filter(
      ({ mode, redispatch: seen, servers }) =>
        mode === 'http' && seen === 'unknown' && servers.some((it) => it.persistent),
    )
    .map(({ name }) => ({
      severity: 'warning',
      code: 'BalancerRedispatch',
      text: `backend ${name} of ${instance} ties clients to servers, and it is not known whether they may use another server while theirs is out`,
      fix: `check that haproxy.cfg has "option redispatch" for ${name}`,
    }))
}
