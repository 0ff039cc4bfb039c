import type { PathReading } from '../../../src/dns/decide/path-reading.ts'
import type { DnsScene, Path, ScenePod, SceneVantage, Target } from '../../../src/dns/decide/scene.ts'

export const aReading = (change: Partial<PathReading> = {}): PathReading => ({
  udp: 'answers',
  how: [],
  tcp: 'answers',
  data: 'right',
  upstream: 'notAsked',
  asked: 7,
  lost: 0,
  truncated: 0,
  medianMs: 1,
  servedBy: [],
  faults: [],
  ...change,
})

export const SILENT = aReading({ udp: 'silent', how: ['timeout'], data: 'unknown', asked: 4, lost: 4 })
export const DEAD = aReading({ ...SILENT, tcp: 'silent' })
export const STALE = aReading({ data: 'stale', faults: ['L4: NXDOMAIN for Service shop/new'] })
export const UNSYNCED = aReading({
  data: 'unsynced',
  faults: ['L2: SERVFAIL for kubernetes.default.svc.cluster.local'],
})

export const HALF = aReading({ udp: 'loses', how: ['timeout'], asked: 14, lost: 7 })
export const REFUSED = aReading({ udp: 'silent', how: ['refused'], data: 'unknown', asked: 4, lost: 4 })
export const NO_TCP = aReading({ tcp: 'silent' })

/** With a cache on the node of v1, which answers in the Service's place. */
export const withCache = (scene: DnsScene, reading: PathReading): DnsScene => ({
  ...scene,
  paths: [...scene.paths, { vantage: 'v1', target: { kind: 'cache', name: '169.254.20.10' }, reading }],
})

export const aPodOfDns = (name: string, change: Partial<ScenePod> = {}): ScenePod => ({
  name,
  uid: `uid-${name}`,
  node: `n-${name}`,
  addresses: [`10.1.0.${name.charCodeAt(0)}`],
  port: 53,
  ready: true,
  terminating: false,
  endpoint: 'serving',
  ...change,
})

export const V1: SceneVantage = { name: 'v1', node: 'n-a', control: 'answers' }
export const V2: SceneVantage = { name: 'v2', node: 'n-b', control: 'answers' }

const SERVICE: Target = { kind: 'service', name: '10.96.0.10' }

interface Seen {
  /** Pod → what each vantage reads of it; what is not named is well. */
  readonly pods?: Readonly<Record<string, PathReading | Readonly<Record<string, PathReading>>>>
  readonly service?: PathReading | Readonly<Record<string, PathReading>>
  readonly canary?: Path['canary']
  readonly change?: Partial<DnsScene>
}

const isReading = (seen: object): seen is PathReading => 'udp' in seen
const from = (seen: PathReading | Readonly<Record<string, PathReading>> | undefined, vantage: string): PathReading =>
  seen === undefined ? aReading() : isReading(seen) ? seen : (seen[vantage] ?? aReading())

/** Two pods, a and b, on a node each, asked from both; what a test changes is what it is about. */
export function aScene({ pods = {}, service, canary, change = {} }: Seen = {}): DnsScene {
  const facts = change.pods ?? [aPodOfDns('a'), aPodOfDns('b')]
  const vantages = change.vantages ?? [V1, V2]
  const paths = vantages.flatMap(({ name: vantage }) => [
    ...facts.map(({ name }): Path => ({ vantage, target: { kind: 'pod', name }, reading: from(pods[name], vantage) })),
    { vantage, target: SERVICE, reading: from(service, vantage), ...(canary === undefined ? {} : { canary }) },
  ])
  return {
    api: 'answers',
    service: {
      namespace: 'kube-system',
      name: 'kube-dns',
      addresses: ['10.96.0.10'],
      udpPort: 53,
      selected: facts.length,
      serving: facts.length,
      isUneven: false,
    },
    nodes: [...new Set(facts.flatMap(({ node }) => node ?? []))].map((name) => ({ name, ready: true })),
    nodeLocal: false,
    paths,
    ...change,
    pods: facts,
    vantages,
  }
}
