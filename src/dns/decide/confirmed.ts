import { present } from '../../ground/model/present.ts'
import { BY_WEIGHT, isWrong, type PathReading } from './path-reading.ts'
import { type DnsScene, type Path, type ScenePod, targetName } from './scene.ts'
import type { UdpSeen } from './udp-seen.ts'

/**
 * The scene of now, where a fault counts only if the round before had it too. Two rounds separate a dead pod from random loss. Of a
 * path that one round alone queried, what answered there counts. The queries of both are counted.
 */
export function confirmed(scene: DnsScene, before: DnsScene): DnsScene {
  const known = new Map(before.paths.map((path) => [keyOf(path), path]))
  const paths = scene.paths.map((path): Path => {
    const { canary: now, ...rest } = path
    const earlier = known.get(keyOf(path))
    const canary = better({ order: CANARY, nothing: undefined }, now, earlier?.canary)
    return { ...rest, reading: inBoth(path.reading, earlier?.reading ?? NOT_QUERIED), ...present({ canary }) }
  })
  return { ...scene, paths, pods: scene.pods.map((pod) => ({ ...pod, ...seenInBoth(pod, before) })) }
}

/** Whether a second round could change the verdict. */
export const needsConfirming = ({ paths, pods }: DnsScene): boolean =>
  pods.some(({ udpSeen }) => udpSeen?.state === 'suspect') ||
  paths.some(({ canary, reading }) => canary === 'silent' || isIll(reading))

const isIll = ({ udp, tcp, data, upstream }: Confirming): boolean =>
  udp === 'silent' ||
  udp === 'loses' ||
  tcp === 'silent' ||
  upstream === 'fails' ||
  data === 'unanswered' ||
  isWrong({ data })

const keyOf = ({ vantage, target }: Path): string => `${vantage} ${target.kind} ${targetName(target)}`

/** From the worst to the best state of each aspect. States that say nothing are not listed. */
const UDP: readonly PathReading['udp'][] = ['silent', 'loses', 'answers']
const CANARY: readonly Path['canary'][] = ['silent', 'answers']
const TCP: readonly PathReading['tcp'][] = ['silent', 'answers']
const UPSTREAM: readonly PathReading['upstream'][] = ['fails', 'answers']
const DATA: readonly PathReading['data'][] = [...BY_WEIGHT, 'unanswered', 'right']

type Confirming = Pick<PathReading, 'udp' | 'tcp' | 'data' | 'upstream' | 'asked' | 'lost' | 'faults' | 'wrongSource'>
const NOT_QUERIED: Confirming = {
  ...{ udp: 'notAsked', tcp: 'notAsked', data: 'unknown', upstream: 'notAsked' },
  ...{ asked: 0, lost: 0, faults: [] },
}

/**
 * A path that was ill in both rounds is not well, also where each saw another fault of it. That of the upstream is named: where the path itself
 * was ill, nothing else was asked of it.
 */
function inBoth(now: PathReading, before: Confirming): PathReading {
  const both = shared(now, before)
  if (!isIll(now) || !isIll(before) || isIll(both)) return both
  const isOfUpstream = now.upstream === 'fails' || before.upstream === 'fails'
  return isOfUpstream ? { ...both, upstream: 'fails' } : { ...both, udp: 'loses' }
}

function shared(now: PathReading, before: Confirming): PathReading {
  const rungOf = (fault: string): string => fault.slice(0, fault.indexOf(':'))
  // A reply from elsewhere in one round alone shows that the server answers.
  const wrongSource = now.wrongSource ?? before.wrongSource
  const udp = better<PathReading['udp']>({ order: UDP, nothing: 'notAsked' }, now.udp, before.udp)
  return {
    ...now,
    udp,
    how: udp === 'answers' ? [] : now.how,
    ...present({ wrongSource }),
    tcp: better<PathReading['tcp']>({ order: TCP, nothing: 'notAsked' }, now.tcp, before.tcp),
    data: better<PathReading['data']>({ order: DATA, nothing: 'unknown' }, now.data, before.data),
    upstream: better<PathReading['upstream']>({ order: UPSTREAM, nothing: 'notAsked' }, now.upstream, before.upstream),
    asked: now.asked + before.asked,
    lost: now.lost + before.lost,
    faults: now.faults.filter((fault) => before.faults.some((other) => rungOf(other) === rungOf(fault))),
  }
}

/**
 * A pod that was observed in one round stays observed. A pod is suspect only if both rounds say so: a few clients that keep their
 * ports may miss it for a while.
 */
function seenInBoth({ uid, udpSeen: now }: ScenePod, before: DnsScene): Pick<ScenePod, 'udpSeen'> {
  const earlier = before.pods.find((pod) => pod.uid === uid)?.udpSeen
  const rounds = [now, earlier].filter((seen) => seen !== undefined)
  const [newest] = rounds
  if (newest === undefined) return {}
  const isSuspect = rounds.length === 2 && rounds.every(({ state }) => state === 'suspect')
  const least: UdpSeen = isSuspect ? newest : { ...newest, state: 'idle' }
  return { udpSeen: rounds.find(({ state }) => state === 'observed') ?? least }
}

/** The better state of two rounds. A fault in one round that the other did not test is not confirmed. */
function better<T>({ order, nothing }: { readonly order: readonly T[]; readonly nothing: T }, a: T, b: T): T {
  const best = order.indexOf(a) >= order.indexOf(b) ? a : b
  const isInBoth = order.includes(a) && order.includes(b)
  return isInBoth || best === order.at(-1) ? best : nothing
}
