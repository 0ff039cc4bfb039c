import { formatDuration } from '../../ground/model/duration.ts'
import { kubectl, plainText } from '../../ground/model/sentence.ts'
import type { Paste } from '../../ground/text/paste.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { Guard } from '../decide/repair/guards.ts'
import type { RepairOrBusy } from '../run/repair-alone.ts'
import type { RepairOutcome } from '../run/repair-dns.ts'
import { checkDocument } from './check-document.ts'
import { checkLines } from './check-lines.ts'

const VERSION = '1'
const EXIT_HELD = 3

/** 0 cured or well; 1 not cured, no pod is at fault, or no Lease; 3 held or not known. */
export function exitOf(repair: RepairOrBusy): 0 | 1 | 3 {
  if ('busy' in repair) return repair.trouble === undefined ? EXIT_HELD : 1
  const { check, decision, outcome } = repair
  const isNotKnown = check.verdict === 'unverified' || check.verdict === 'observed'
  if (decision.kind === 'nothing') return check.verdict === 'ok' ? 0 : isNotKnown ? EXIT_HELD : 1
  if (decision.kind === 'held') return EXIT_HELD
  return outcome === undefined || outcome.kind === 'cured' ? 0 : 1
}

/** The document of `-o json`. */
export function repairDocument(repair: RepairOrBusy, isDry: boolean): object {
  if ('busy' in repair) {
    const { busy: holder, trouble: why } = repair
    return { version: VERSION, decision: why === undefined ? { kind: 'busy', holder } : { kind: 'noLease', why } }
  }
  const { check, decision, outcome } = repair
  const { kind, ...rest } = decision
  return {
    version: VERSION,
    dryRun: isDry,
    decision: { kind, ...('sick' in rest ? { ...rest, sick: { code: rest.sick.code, ...rest.sick.pod } } : rest) },
    ...(outcome === undefined ? {} : { outcome: outcomeDocument(outcome) }),
    check: checkDocument(check),
  }
}

function outcomeDocument(outcome: RepairOutcome): object {
  if (outcome.kind === 'notTouched' || outcome.after === undefined) return outcome
  return { ...outcome, after: checkDocument(outcome.after) }
}

interface Shown {
  readonly isDry: boolean
  readonly paste: Paste
}

export function repairLines(repair: RepairOrBusy, { isDry, paste }: Shown): readonly Line[] {
  if ('busy' in repair)
    return repair.trouble === undefined
      ? [[{ text: 'HELD', tone: 'hold' }, `  another repair is under way: ${repair.busy}`]]
      : [[{ text: 'NOT REPAIRED', tone: 'stop' }, `  ${repair.trouble}`]]
  const { check, decision, outcome } = repair
  const found = checkLines(check, false)
  if (decision.kind === 'nothing') return [...found, [], [`Nothing to repair: ${decision.why}.`]]
  const { sick, guards } = decision
  const { name } = sick.pod
  if (decision.kind === 'held')
    return [
      ...found,
      [],
      [{ text: 'HELD', tone: 'hold' }, `  pod ${name} is not touched`],
      ...guardLines(guards, paste),
    ]
  const { namespace } = check.scene.service
  const what = decision.step === 'quarantine' ? 'taken out of its Service and kept' : 'evicted'
  const did = isDry ? 'would be' : outcome?.kind === 'notTouched' ? 'was not' : 'was'
  const head: Line = [`pod ${name} (${sick.code}) ${did} ${what}`]
  return [
    ...found,
    [],
    head,
    ...guardLines(guards, paste),
    ...outcomeLines(outcome),
    ...keptLines({ decision, outcome, namespace, name, paste }),
  ]
}

export const guardLines = (guards: readonly Guard[], paste: Paste): readonly Line[] =>
  guards.map(
    ({ guard, holds, text }): Line => [
      '  ',
      { text: holds ? 'yes' : 'no ', tone: holds ? 'work' : 'hold' },
      `  ${guard}: ${plainText(paste(text))}`,
    ],
  )

function outcomeLines(outcome: RepairOutcome | undefined): readonly Line[] {
  if (outcome === undefined) return []
  return outcome.kind === 'cured'
    ? [
        [
          { text: 'CURED', tone: 'work' },
          `  DNS was well after ${formatDuration(outcome.tookMs)}, and stayed so for a minute`,
        ],
      ]
    : [[{ text: 'NOT CURED', tone: 'stop' }, `  ${outcome.why}`]]
}

interface Kept {
  readonly decision: { readonly step: 'quarantine' | 'evict' }
  readonly outcome: RepairOutcome | undefined
  readonly namespace: string
  readonly name: string
  readonly paste: Paste
}

/** The commands to examine and delete a pod in quarantine. */
function keptLines({ decision, outcome, namespace, name, paste }: Kept): readonly Line[] {
  if (outcome === undefined || outcome.kind === 'notTouched' || decision.step === 'evict') return []
  return [
    [`  look at it:  ${plainText(paste(kubectl`logs -n ${namespace} ${name}`))}`],
    [`  then:        ${plainText(paste(kubectl`delete pod -n ${namespace} ${name}`))}`],
  ]
}
