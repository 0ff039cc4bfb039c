import type { DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { allowedCauses, concerns, ENDS_SERVICE, isOfPod } from './allowed-causes.ts'
import { type DnsFault, effectOf, isBroken, isLossy } from './dns-faults.ts'
import type { DnsGround } from './dns-ground.ts'
import { WINDOWS } from './dns-manifests.ts'
import type { AskedPath } from './dns-network.ts'

type Say = (checker: string, text: string) => void

interface Seen {
  readonly check: Pick<DnsCheck, 'verdict' | 'findings' | 'scene' | 'queriesPerSecond'>
  readonly fromMs: number
  readonly asked: readonly AskedPath[]
}

/** What was true up to so long ago may be what a check goes by: the pace of watches, kube-proxies and the second round. */
const LATE_MS = 15_000
/** From so many queries a second on each way is asked often enough to see that many are lost. */
const SEES_LOSS = 800
/** A decision is made by checks that took so long. */
const DECIDED_WITHIN_MS = 60_000

/** Judges checks and repairs by what was at fault in the world, and by nothing that a check says of itself. */
export class DnsWitness {
  readonly #ground: DnsGround
  readonly #say: Say
  checks = 0
  touched = 0
  readonly codes: Record<string, number> = {}

  constructor(ground: DnsGround, say: Say) {
    this.#ground = ground
    this.#say = say
  }

  checked({ check, fromMs, asked }: Seen): void {
    const now = this.#ground.cluster.time.monoMs()
    this.checks += 1
    for (const { code } of check.findings) this.codes[code] = (this.codes[code] ?? 0) + 1
    this.#judgeCauses({ check, fromMs, asked }, now)
    if (check.verdict === 'ok') this.#judgeHealthy({ check, fromMs, asked }, now)
  }

  relayOn(node: string): void {
    if (node === WINDOWS) this.#say('relays-on-linux', `a relay was asked for on ${node}`)
  }

  /** A repair took this pod out of service. */
  touches(name: string): void {
    const { board, pods, cluster } = this.#ground
    const now = cluster.time.monoMs()
    this.touched += 1
    const pod = pods.named(name)
    if (pod === undefined) return
    const faults = board.within(now - DECIDED_WITHIN_MS, now)
    const why = faults.filter((fault) => ENDS_SERVICE.has(fault.kind) && concerns(fault, pod))
    if (why.length === 0) this.#say('no-serving-pod-taken', `${name} was taken out, and there was ${textOf(faults)}`)
    const others = pods.serving().filter(({ uid }) => uid !== pod.uid)
    const well = others.filter((other) => ![...board.active].some((fault) => isDead(fault, other)))
    if (well.length === 0) this.#say('others-serve', `${name} was taken out, and no other pod serves`)
  }

  #judgeCauses({ check, fromMs }: Seen, now: number): void {
    const { board, pods } = this.#ground
    const faults = board.within(fromMs - LATE_MS, now)
    const isSteady = board.isSteady(fromMs - LATE_MS, now)
    const isSame = board.throughout(fromMs, now).length === board.within(fromMs, now).length
    const allowed = allowedCauses(faults, {
      isSteady,
      isSame,
      hasCaches: this.#ground.hasCaches,
      seesLoss: check.queriesPerSecond >= SEES_LOSS,
      isOutside: check.scene.vantages.some(({ way }) => way !== undefined),
    })
    const serving = new Set(pods.serving().map(({ name }) => name))
    const place = check.findings.map(({ code }) => code).join(', ')
    for (const { code, subjects } of check.findings) {
      // It left while it was asked.
      if (!isSteady && subjects.some(({ kind, name }) => kind === 'pod' && !serving.has(name))) continue
      if (!allowed.has(code)) this.#say('cause-is-true', `${code} (of ${place}), and there was ${textOf(faults)}`)
      if (!isOfPod(code)) continue
      for (const { kind, name } of subjects) {
        const pod = kind === 'pod' ? pods.named(name) : undefined
        if (pod !== undefined && !faults.some((fault) => concerns(fault, pod)))
          this.#say('pod-is-the-one', `${code} names ${name} on ${pod.node}, and there was ${textOf(faults)}`)
      }
    }
    if (faults.length === 0 && isSteady && !['ok', 'unverified', 'observed'].includes(check.verdict))
      this.#say('no-false-alarm', `${check.verdict}: ${place}`)
  }

  #judgeHealthy({ check, fromMs, asked }: Seen, now: number): void {
    const { board, pods } = this.#ground
    const serving = new Set(pods.serving().map(({ uid }) => uid))
    const faults = board.throughout(fromMs, now)
    const isSound = ({ leg: { place } }: AskedPath): boolean =>
      place.node !== undefined &&
      effectOf(board.within(fromMs, now), { place, over: 'tcp', to: 'api', isByService: true, isIpv6: false }).lost !==
        1
    const counted = asked.filter(isSound)
    for (const path of counted.filter(({ leg }) => !leg.isByService)) {
      if (
        path.leg.to === 'api' ||
        !serving.has(path.leg.to.uid) ||
        path.answered > 0 ||
        !isBroken(effectOf(faults, path.leg))
      )
        continue
      const { place, over, to } = path.leg
      this.#say('never-healthy-over-broken', `${place.name} → ${to.uid} over ${over}: ${textOf(faults)}`)
    }
    for (const { leg } of counted)
      if (
        check.queriesPerSecond >= SEES_LOSS &&
        leg.to !== 'api' &&
        !leg.isByService &&
        serving.has(leg.to.uid) &&
        leg.over === 'udp' &&
        isLossy(effectOf(faults, leg))
      )
        this.#say('never-healthy-over-loss', `${leg.place.name} → ${leg.to.uid}: ${textOf(faults)}`)
    this.#judgeUpstream({ check, fromMs, asked: counted }, faults)
    const byService = Map.groupBy(
      counted.filter(({ leg }) => leg.isByService),
      ({ leg: { place, over } }) => `${place.name} over ${over}`,
    )
    for (const [way, paths] of byService) {
      const isDead = paths.every((path) => path.answered === 0 && isBroken(effectOf(faults, path.leg)))
      if (isDead) this.#say('never-healthy-over-broken', `the Service from ${way}: ${textOf(faults)}`)
    }
  }
  /** Each pod is asked for a name outside where the Corefile forwards those. */
  #judgeUpstream({ check: { scene }, asked }: Seen, faults: readonly DnsFault[]): void {
    if (!this.#ground.forwards || scene.isCorefileUnread === true) return
    const own = asked.filter(({ leg, answered }) => !leg.isByService && leg.over === 'udp' && answered > 0)
    for (const { leg } of own) {
      const uid = leg.to === 'api' ? '' : leg.to.uid
      const isCut = faults.some(({ kind, pod }) => kind === 'upstreamDown' || (kind === 'upstreamOfOne' && pod === uid))
      if (isCut) this.#say('never-healthy-over-broken', `${leg.place.name} → ${uid}: ${textOf(faults)}`)
    }
  }
}

const isDead = (fault: DnsFault, pod: { readonly uid: string; readonly node: string }): boolean =>
  ENDS_SERVICE.has(fault.kind) &&
  fault.kind !== 'stale' &&
  (fault.pod === undefined ? fault.node === pod.node : fault.pod === pod.uid)

const textOf = (faults: readonly DnsFault[]): string =>
  faults.length === 0 ? 'no fault' : faults.map(({ kind, pod, node }) => `${kind} of ${pod ?? node}`).join(' and ')
