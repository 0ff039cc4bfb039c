import { type FaultKind, NODE_FAULTS, OBJECT_FAULTS, POD_FAULTS, SHARED_FAULTS } from './dns-faults.ts'
import { type DnsScenario, dnsScenario } from './dns-scenario.ts'

const FAULTS: readonly FaultKind[] = [...POD_FAULTS, ...NODE_FAULTS, ...SHARED_FAULTS, ...OBJECT_FAULTS]

/** Each kind of a world by a word, and whether a scenario has it. */
const KINDS: Readonly<Record<string, (scenario: DnsScenario) => boolean>> = {
  ...Object.fromEntries(
    FAULTS.map((kind) => [`fault ${kind}`, ({ faults }: DnsScenario) => faults.some((fault) => fault.kind === kind)]),
  ),
  'two faults at once': ({ faults: [one, other] }) =>
    one !== undefined && other !== undefined && one.fromMs < other.toMs && other.fromMs < one.toMs,
  'two replicas of the controller': ({ replicasOfUs }) => replicasOfUs === 2,
  'a person who checks from a pod': ({ persons }) => persons.some(({ here }) => here.kind === 'pod'),
  'a person who checks from a node': ({ persons }) => persons.some(({ here }) => here.kind === 'host'),
  'a person who checks from outside': ({ persons }) => persons.some(({ here }) => here.kind === 'outside'),
  'no right to the Corefile': ({ lacks }) => lacks.includes('corefile'),
  'no right to Nodes': ({ lacks }) => lacks.includes('nodes'),
  'no right to other pods': ({ lacks }) => lacks.includes('pods'),
  'clients that ask': ({ setup }) => setup.hasLoad,
  'one replica': ({ replicas }) => replicas === 1,
  'checked from a pod': ({ here }) => here.kind === 'pod',
  'checked from a node': ({ here }) => here.kind === 'host',
  'checked from outside': ({ here }) => here.kind === 'outside',
  'with relays': ({ hasRelays }) => hasRelays,
  'without relays': ({ hasRelays }) => !hasRelays,
  'a rollout': ({ deeds }) => deeds.some(({ kind }) => kind === 'rollout'),
  scaled: ({ deeds }) => deeds.some(({ kind }) => kind === 'scale'),
  'a cordon': ({ deeds }) => deeds.some(({ kind }) => kind === 'cordon'),
  'the API in trouble': ({ api }) => api.length > 0,
  'killed at a write': ({ killsAtWrites }) => killsAtWrites.length > 0,
  'killed between writes': ({ killsAtMs }) => killsAtMs.length > 0,
  'a controller whose clock differs': ({ clockAheadMs }) => clockAheadMs !== 0,
  'nodes whose clocks differ': ({ setup }) => setup.clocksAheadMs.some((ms) => ms !== 0),
  'a DaemonSet': ({ setup }) => setup.workload === 'DaemonSet',
  'both families': ({ setup }) => setup.families.length === 2,
  'a place without IPv6': ({ setup }) => setup.lacksIpv6,
  'IPv6 alone': ({ setup }) => setup.families.join() === 'IPv6',
  'the network of nodes': ({ setup }) => setup.isHostNetwork,
  'a node of Windows': ({ setup }) => setup.hasWindows,
  'full nodes': ({ setup }) => setup.isFull,
  'caches on the nodes': ({ setup }) => setup.hasCaches,
  'a second Deployment': ({ setup }) => setup.beside === 'deployment',
  'a second Service by another label': ({ setup }) => setup.beside === 'service',
  'a second Service for outside': ({ setup }) => setup.beside === 'nodePort',
  'a policy that leads to the own node': ({ setup }) => setup.policy === 'local',
  'session affinity': ({ setup }) => setup.policy === 'affinity',
  'isolated neighbours': ({ setup }) => setup.isIsolated,
  'a Corefile with namespaces': ({ setup }) => setup.corefile === 'namespaces',
  'a Corefile without forward': ({ setup }) => setup.corefile === 'noForward',
  'a Corefile that falls through': ({ setup }) => setup.corefile === 'fallthrough',
  'a Corefile with a variable': ({ setup }) => setup.corefile === 'variable',
  'packets lost by chance': ({ setup }) => setup.lost > 0,
  'a deed in mid-repair': ({ deedAtTouch }) => deedAtTouch !== 'none' && deedAtTouch !== 'kill',
  'killed in mid-repair': ({ deedAtTouch }) => deedAtTouch === 'kill',
}

/** How many of these seeds draw each kind. */
export function drawnKinds(seeds: readonly string[]): readonly (readonly [string, number])[] {
  const scenarios = seeds.map(dnsScenario)
  return Object.entries(KINDS).map(([word, has]) => [word, scenarios.filter(has).length])
}
