import { canonicalAddress } from '../../../ground/model/ip-address.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { apiPort } from '../../../service/decide/api-backend.ts'
import type { InstanceInspection, SeenServer } from '../../../service/model/balancer-inspection.ts'
import { apiServers } from './api-servers.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { isSameProcess } from './same-process.ts'

const SHOWN = 3

/**
 * Backends that the file does not name although they send to nodes of the roll: they get no command when a node leaves. The
 * API's own backend is left out on purpose.
 */
export function leftOutFindings(
  s: Pick<PlanSnapshot, 'inspections'> & Parameters<typeof apiServers>[0],
  nodes: readonly Node[],
): readonly PlanFinding[] {
  const known = apiServers(s)
  const rolled = new Set(nodes.flatMap(({ internalAddresses }) => internalAddresses.map(canonicalAddress)))
  return s.inspections.flatMap((inspection) => {
    const named = namedOn(inspection, s.inspections)
    const others = Map.groupBy(inspection.outside, ({ backend }) => backend)
    return [...others].flatMap(([name, servers]) => {
      const ours = servers.filter(({ address }) => address !== '' && rolled.has(canonicalAddress(address)))
      const isMeant = named.has(name) || apiPort({ servers }, known) !== undefined
      return ours.length === 0 || isMeant ? [] : [leftOut(inspection.instance, name, ours)]
    })
  })
}

/** Several balancers of the file may have the same HAProxy, each by a name of its own and with backends of its own. */
const namedOn = (one: InstanceInspection, inspections: readonly InstanceInspection[]): ReadonlySet<string> =>
  new Set(
    inspections
      .filter((other) => other === one || isSameProcess(one, other))
      .flatMap(({ backends }) => backends.map(({ name }) => name)),
  )

function leftOut(instance: string, backend: string, servers: readonly SeenServer[]): PlanFinding {
  const shown = servers.slice(0, SHOWN).map(({ server }) => `${backend}/${server}`)
  const more = servers.length > SHOWN ? [`${servers.length - SHOWN} more`] : []
  const verb = servers.length === 1 ? 'still gets traffic while its node is' : 'still get traffic while their nodes are'
  return {
    severity: 'warning',
    code: 'BalancerBackendLeftOut',
    text: `${[...shown, ...more].join(', ')} on ${instance} ${verb} away: backend ${backend} is not in "backends"`,
    fix: `add ${backend} to "backends"`,
  }
}
