import type { Endpoint } from '../../../ground/model/endpoint.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { matchNodeServers } from '../../../service/decide/match-node-servers.ts'
import { type ServerReading, serverKey } from '../../../service/model/balancer.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'

/** The data ports at which nodes serve now: after a reboot the roll waits until each of them answers. */
export function servingPorts(
  { spec, instances }: Pick<PlanSnapshot, 'spec' | 'instances'>,
  nodes: readonly Node[],
): readonly Endpoint[] {
  if (!spec.settle.dataPort) return []
  const places = nodes.flatMap((node) => servingAt(node, instances)).filter(({ port }) => port !== 0)
  return [...new Map(places.map(({ address, port }) => [`${address}:${port}`, { address, port }])).values()]
}

/** What the roll could not wait for after a reboot, found while the nodes still serve. */
export function dataPortFindings(
  s: Pick<PlanSnapshot, 'spec' | 'instances' | 'silentPorts'>,
  nodes: readonly Node[],
): readonly PlanFinding[] {
  if (!s.spec.settle.dataPort) return []
  const serving = nodes.flatMap((node) => servingAt(node, s.instances))
  const silent = (s.silentPorts ?? []).map(({ address, port }) => `${address}:${port}`)
  const unknown = serving.filter(({ port }) => port === 0)
  const unproven = unknown.filter(({ check }) => check === 'none')
  const checked = unknown.filter(({ check }) => check !== 'none')
  return [
    ...(silent.length === 0 ? [] : [silentPorts(silent)]),
    ...(unproven.length === 0 ? [] : [portless(unproven, 'error')]),
    ...(checked.length === 0 ? [] : [portless(checked, 'warning')]),
  ]
}

const servingAt = (node: Node, instances: PlanSnapshot['instances']): readonly ServerReading[] =>
  matchNodeServers(node, instances)
    .map(({ reading }) => reading)
    .filter(({ ownState, operational, uncheckedYet }) => ownState === 'ready' && operational === 'up' && !uncheckedYet)

/** HAProxy shows a port written as `:+30080` like `:30080`, and adds it to the port of the client (configuration.txt 5.2, `server`). */
const silentPorts = (ports: readonly string[]): PlanFinding => ({
  severity: 'error',
  code: 'DataPortSilent',
  text: `nothing answers this machine at ${firstOf(ports)}, where a balancer sends: after a reboot the roll would wait for it in vain`,
  fix: `let this machine reach ${ports.length === 1 ? 'that port' : 'those ports'}, or set settle.dataPort: false, so that only the checks of the balancer count. HAProxy shows a port with a sign in haproxy.cfg, such as ":+${portOf(ports[0])}", without it, and sends to another one: no answer comes there, so set settle.dataPort: false`,
})

const portOf = (place = ''): string => place.slice(place.lastIndexOf(':') + 1)

function portless(servers: readonly ServerReading[], severity: 'error' | 'warning'): PlanFinding {
  const [has, its, lines] = servers.length === 1 ? ['has', 'its', 'line'] : ['have', 'their', 'lines']
  const what = `${firstOf(servers.map(({ ref }) => serverKey(ref)))} ${has} no fixed port in haproxy.cfg: none at all, or an offset to the port of the client`
  if (severity === 'warning')
    return { severity, code: 'DataPortUnknown', text: `${what}. Only ${its} check tells that the node is back` }
  return {
    severity,
    code: 'DataPortUnknown',
    text: `${what}. Without a check nothing would tell that the node is back`,
    fix: `add "check port PORT" to ${its} server ${lines}`,
  }
}
