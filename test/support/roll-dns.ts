import type { DnsFinding, Subject } from '../../src/dns/decide/diagnosis/finding.ts'
import type { PathReading } from '../../src/dns/decide/path-reading.ts'
import type { DnsScene, Path, ScenePod } from '../../src/dns/decide/scene.ts'
import { monoMs } from '../../src/ground/model/time.ts'
import type { DnsReading, DnsReadings } from '../../src/roll/decide/dns/dns-readings.ts'

/** `UdpDead pod c-1, node n2`. */
export function found(text: string): DnsFinding {
  const [code, ...subjects] = text.split(/ (.*)/s).filter((part) => part !== '')
  return {
    code: code as DnsFinding['code'],
    subjects: subjects
      .flatMap((part) => part.split(', '))
      .map((part): Subject => {
        const [kind = '', ...name] = part.split(' ')
        return { kind: kind as Subject['kind'], name: name.join(' ') }
      }),
    evidence: [],
  }
}

export const aDnsPod = (name: string, node: string, change: Partial<ScenePod> = {}): ScenePod => ({
  name,
  uid: `uid-${name}`,
  node,
  addresses: ['10.244.0.2'],
  port: 53,
  ready: true,
  terminating: false,
  endpoint: 'serving',
  ...change,
})

export const aPath = (vantage: string, target: Path['target'], udp: PathReading['udp'] = 'answers'): Path => ({
  vantage,
  target,
  reading: {
    udp,
    how: [],
    tcp: 'answers',
    data: 'right',
    upstream: 'notAsked',
    asked: 3,
    lost: 0,
    truncated: 0,
    servedBy: [],
    faults: [],
  },
})

const SERVICE = { kind: 'service', name: '10.96.0.10' } as const
/** A relay on a node, and what the Service's address answers there. */
export const askedOn = (node: string, udp: PathReading['udp'] = 'answers'): Pick<DnsScene, 'vantages' | 'paths'> => ({
  vantages: [{ name: `relay ${node}`, node, control: 'answers' }],
  paths: [aPath(`relay ${node}`, SERVICE, udp)],
})

export const aDnsScene = (change: Partial<DnsScene> = {}): DnsScene => ({
  api: 'answers',
  service: {
    namespace: 'kube-system',
    name: 'kube-dns',
    addresses: ['10.96.0.10'],
    udpPort: 53,
    selected: 2,
    serving: 2,
    isUneven: false,
  },
  pods: [aDnsPod('c-1', 'n1'), aDnsPod('c-2', 'n2')],
  nodes: [],
  nodeLocal: false,
  vantages: [{ name: 'here', control: 'answers' }],
  paths: [aPath('here', SERVICE)],
  ...change,
})

/** A check that has just ended at the time of `aSnapshot`. */
export const aReading = (findings: readonly string[], change: Partial<DnsReading> = {}): DnsReading => ({
  kind: 'seen',
  begunAt: monoMs(998_000),
  endedAt: monoMs(999_000),
  findings: findings.map(found),
  scene: aDnsScene(),
  isZoneAssumed: false,
  from: ['n1', 'n3'],
  ...change,
})

export function dnsSaid(findings: readonly string[], change: Partial<DnsReading> = {}): DnsReadings {
  const seen = aReading(findings, change)
  return { last: seen, seen }
}
