import type { Leader } from '../../ground/loop/leader.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { commandText, kubectl, plainText } from '../../ground/model/sentence.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import { CAUSES } from '../decide/causes.ts'
import type { RepairDecision } from '../decide/repair/decide-repair.ts'
import type { DnsCheck } from './check-dns.ts'
import { type AloneParts, repairAlone } from './repair-alone.ts'
import { type Repair, type RepairParts, repairDns, wouldRepair } from './repair-dns.ts'

interface LoopRepairParts extends AloneParts, Pick<RepairParts, 'repairer' | 'past'> {
  readonly notices: ObjectNotices
  /** Of the controller: that this process may repair now is not enough. */
  readonly leader: Pick<Leader, 'isLeading'>
  readonly log: Log
}

export interface RepairStatus {
  readonly isUnderWay: boolean
  /** What came of the last check. */
  readonly last: 'nothing' | 'held' | 'busy' | 'cured' | 'notCured' | 'notTouched'
  readonly pod?: string
  /** Guards that do not hold, or how it ended: sentences. */
  readonly why: readonly string[]
}

type Last = Omit<RepairStatus, 'isUnderWay'>
type Act = Extract<RepairDecision, { readonly kind: 'act' }>
type Held = Extract<RepairDecision, { readonly kind: 'held' }>

const WORDS: Readonly<Record<RepairStatus['last'], string>> = {
  nothing: 'nothing to repair',
  held: 'not replaced',
  busy: 'not replaced, since another repair is under way',
  cured: 'replaced',
  notCured: 'replaced, and DNS is still unhealthy',
  notTouched: 'not replaced',
}
const NOTHING: Last = { last: 'nothing', why: [] }
const TEXT_MAX = 800
const silent = (): void => undefined

/** Repairs by the controller: after a check that found an ill pod, and one at a time with those of people. */
export class LoopRepair {
  readonly #parts: LoopRepairParts
  #isUnderWay = false
  #last = NOTHING
  /** What the log and what the Event of the pod said last, so that it is said once. */
  #logged = ''
  #said = ''

  constructor(parts: LoopRepairParts) {
    this.#parts = parts
  }

  status(): RepairStatus {
    return { ...this.#last, isUnderWay: this.#isUnderWay }
  }

  /**
   * Goes by what `seen` found; where every guard holds, it is checked and decided once more under the Lease of repairs. Rejects with
   * WorldError, UserError, or the signal's reason: one that fires ends the repair that is under way.
   */
  async after(seen: DnsCheck, check: RepairParts['check'], signal: AbortSignal): Promise<void> {
    if (!seen.findings.some(({ code }) => CAUSES[code].repair === 'restartPod')) return this.#nothing()
    const would = await wouldRepair({ ...this.#parts, check: async () => seen, say: silent }, signal)
    if (would.decision.kind !== 'act') return this.#heard(would, signal)
    const { leader, log } = this.#parts
    const say = (text: string): void => log.warn(`dns: repair: ${text}`)
    this.#isUnderWay = true
    try {
      const done = await repairAlone(
        this.#parts,
        (own) => {
          const both = { isLeading: () => own.isLeading() && leader.isLeading() }
          return repairDns({ ...this.#parts, check, say }, both, signal)
        },
        signal,
      )
      if (!('busy' in done)) await this.#heard(done, signal)
      else if (done.trouble !== undefined) this.#take({ last: 'notTouched', why: [done.trouble] }, 'noLease')
      else this.#take({ last: 'busy', why: [`it is held by ${done.busy}`] }, done.busy)
    } finally {
      this.#isUnderWay = false
    }
  }

  async #heard({ check, decision, outcome }: Repair, signal: AbortSignal): Promise<void> {
    if (decision.kind === 'nothing') return this.#nothing()
    const { pod, code } = decision.sick
    const last = decision.kind === 'held' ? heldBy(decision) : endedAs(decision, outcome, check.scene.service.namespace)
    // The text of a guard counts pods and seconds; which guards hold it back is what changes.
    const key = `${code} ${pod.uid} ${decision.guards.filter(({ holds }) => !holds).map(({ guard }) => guard)}`
    const said = this.#take({ ...last, pod: pod.name }, key)
    if (this.#said === said) return
    const text = escapeForeign(`${WORDS[last.last]}: ${last.why.join('; ')}`, TEXT_MAX)
    const about = { kind: 'Pod', namespace: check.scene.service.namespace, name: pod.name, uid: pod.uid } as const
    const type = last.last === 'cured' ? 'Normal' : 'Warning'
    await this.#parts.notices.tell({ ...about, type, reason: { code, text } }, signal)
    this.#said = said
  }

  #nothing(): void {
    this.#last = NOTHING
    this.#logged = ''
    this.#said = ''
  }

  /** What is said of it: the same text as long as nothing changes. */
  #take(last: Last, key: string): string {
    const said = `${last.last} ${key}`
    const { pod, why } = last
    if (this.#logged !== said) this.#parts.log.warn(`dns: repair: ${WORDS[last.last]}`, { ...present({ pod }), why })
    this.#last = last
    this.#logged = said
    return said
  }
}

const heldBy = ({ guards }: Held): Last => ({
  last: 'held',
  why: guards.filter(({ holds }) => !holds).map(({ guard, text }) => `${guard}: ${plainText(text)}`),
})

function endedAs({ step, sick }: Act, outcome: Repair['outcome'], namespace: string): Last {
  if (outcome === undefined) return { last: 'notTouched', why: ['nothing was done'] }
  if (outcome.kind === 'notTouched') return { last: outcome.kind, why: [outcome.why] }
  const command = commandText(kubectl`delete pod -n ${namespace} ${sick.pod.name}`)
  const kept = `the pod stays, without its labels: look at it, then: ${command}`
  const also = step === 'quarantine' ? [kept] : []
  if (outcome.kind === 'notCured') return { last: outcome.kind, why: [outcome.why, ...also] }
  const well = `DNS was well after ${formatDuration(outcome.tookMs)}, and stayed so for a minute`
  return { last: 'cured', why: [well, ...also] }
}
