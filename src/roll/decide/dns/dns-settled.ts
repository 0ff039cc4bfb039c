import type { DnsFinding, Subject } from '../../../dns/decide/diagnosis/finding.ts'
import type { DnsScene } from '../../../dns/decide/scene.ts'
import { runsNoRelay } from '../../../dns/model/runs-no-relay.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import { hasRebooted, type RecordedSnapshot } from '../node-snapshot.ts'
import { findingText, policyOf } from './dns-policy.ts'
import { type DnsReading, type DnsReadings, reachedCluster } from './dns-readings.ts'
import { dnsReady, dnsService } from './dns-ready.ts'

/** A check that takes longer than this delays nothing. A relay has to be started first, and its image may have to be pulled. */
const AWAITED_FOR_MS = 30_000
const RELAY_AWAITED_FOR_MS = 80_000

/**
 * Before a node that was rebooted serves again: DNS works on it, as far as a check can tell. A node that goes back without a
 * reboot only waits for an endpoint: it serves no worse than before, and keeping it out would cure nothing.
 */
export function dnsUnsettled(s: RecordedSnapshot): readonly Reason[] {
  const noEndpoint = endpointMissing(s)
  if (s.dns === undefined || !hasRebooted(s)) return noEndpoint
  const { name } = s.current.node
  const since = s.evidence.settlingSince ?? s.now
  const { last, seen } = s.dns
  const hasRelays = s.spec.dns?.image !== undefined
  // A check for the node of another lane, which is back as well, says nothing of this one.
  const isMissed = ({ begunAt, from }: NonNullable<DnsReadings['last']>): boolean =>
    begunAt < since || (hasRelays && !runsNoRelay(s.current.node) && !from.includes(name))
  if (last === undefined || isMissed(last)) {
    // From this machine alone another check would find no more.
    if (last !== undefined && !hasRelays && !reachedCluster(last)) return noEndpoint
    if (s.now - since >= (hasRelays ? RELAY_AWAITED_FOR_MS : AWAITED_FOR_MS)) return noEndpoint
    const text = `the cluster DNS is being checked, now that ${name} is back`
    return [...noEndpoint, { code: 'DnsNotAsked', object: name, text }]
  }
  return seen === undefined || isMissed(seen) ? noEndpoint : [...noEndpoint, ...illHere(name, seen)]
}

function endpointMissing(s: RecordedSnapshot): readonly Reason[] {
  if (s.record.dnsReady === 0 || dnsReady(s) > 0) return []
  return [{ code: 'DnsNotReady', object: refKey(dnsService(s)), text: 'no endpoint of the cluster DNS is Ready' }]
}

function illHere(node: string, reading: DnsReading): readonly Reason[] {
  const place = placeOn(node, reading.scene)
  const unreached = UNREACHED[place]
  const ofPlace = unreached === undefined ? [] : [notReady(node, `a pod on ${node} ${unreached}`)]
  const findings = reading.findings.filter((finding) => {
    const { back } = policyOf(reading, finding)
    return back === 'holds' || (back === 'here' && isAbout(finding, { node, place, scene: reading.scene }))
  })
  return [...ofPlace, ...findings.map((finding) => notReady(node, `DNS is unhealthy: ${findingText(finding)}`))]
}

const notReady = (node: string, text: string): Reason => ({
  code: 'DnsNotReady',
  object: node,
  text,
  next: say`look at kube-proxy and the network of ${node}; ${evenkeel`dns check`} shows more`,
})

/** What the check found from the node itself. `none`: no question was asked from there. */
type Place = 'none' | 'answers' | 'cutOff' | 'noService' | 'silent'

const UNREACHED: Readonly<Partial<Record<Place, string>>> = {
  cutOff: 'reaches nothing of the cluster, DNS or other',
  noService: 'reaches DNS pods, but no Service',
  silent: 'gets no answer from the Service of DNS',
}

function placeOn(node: string, { vantages, paths, service }: DnsScene): Place {
  const there = vantages.filter((vantage) => vantage.node === node)
  if (there.length === 0) return 'none'
  if (there.every(({ control }) => control === 'fails')) return 'cutOff'
  const ours = paths.filter(({ vantage }) => there.some(({ name }) => name === vantage))
  const ways = ours.filter(({ target }) => target.kind !== 'pod')
  if (ways.length === 0) return service.addresses.length === 0 ? 'none' : 'noService'
  const asked = ways.filter(({ reading }) => reading.udp !== 'notAsked')
  if (asked.length === 0) return 'none'
  return asked.every(({ reading }) => reading.udp === 'silent') ? 'silent' : 'answers'
}

interface Here {
  readonly node: string
  readonly place: Place
  readonly scene: DnsScene
}

/** A fault that was found from a place outside of the nodes may be about this node, unless the node itself has an answer. */
const isAbout = ({ subjects }: DnsFinding, { node, place, scene }: Here): boolean =>
  subjects.some(({ kind, name }: Subject) => {
    if (kind === 'node') return name === node
    if (kind === 'pod') return scene.pods.some((pod) => pod.name === name && (pod.node ?? node) === node)
    if (kind !== 'vantage') return true
    const from = scene.vantages.find((vantage) => vantage.name === name)
    return from?.node === undefined ? place === 'none' && from?.control !== 'fails' : from.node === node
  })
