import { formatDuration } from '../../ground/model/duration.ts'
import { countText } from '../../ground/text/count-text.ts'
import type { Step } from '../model/step.ts'
import { isUsedUp, type StopUse } from '../model/stop-use.ts'
import type { LimitName } from './document/settings-document.ts'
import type { ReportDocument } from './report-document.ts'
import { amountText, ruleText } from './view/stop-text.ts'

interface StopRule {
  readonly rule: string
  readonly measured: string
  readonly limit: string
  /** `limit reached`: the roll stops at that point. */
  readonly state: 'ok' | 'limit reached' | 'not measured' | 'limit not known'
}

/** Each rule that stops a roll, and its measured value beside its limit. */
export function stopRules(report: ReportDocument): readonly StopRule[] {
  const measured = report.stop === undefined ? [failureRule(report)] : report.stop.map(allowedRule)
  return [...measured, ...TIME_RULES.flatMap((rule) => timeRule(report, rule))]
}

/** A limit of the roll file: the roll stops beyond it. */
const allowedRule = (use: StopUse): StopRule => ({
  rule: ruleText(use),
  measured: amountText(use, use.used),
  limit: `${amountText(use, use.allowed)} allowed`,
  state: isUsedUp(use) ? 'limit reached' : 'ok',
})

function failureRule({ load, excusedRequests, failedRequests }: ReportDocument): StopRule {
  const rule = 'failed requests after the baseline'
  if (load === null) return { rule, measured: 'not measured', limit: '0', state: 'not measured' }
  const excused = excusedRequests === 0 ? '' : ` (and ${countText(excusedRequests)} with a control that failed too)`
  const measured = `${countText(failedRequests)}${excused}`
  return { rule, measured, limit: '0', state: failedRequests > 0 ? 'limit reached' : 'ok' }
}

interface TimeRule {
  readonly rule: string
  readonly limit: LimitName
  readonly steps: readonly Step[]
  /** What counts: the holds of these steps, or the steps themselves, one after another. */
  readonly of: 'hold' | 'step'
}

const TIME_RULES: readonly TimeRule[] = [
  {
    rule: 'longest hold before the reboot',
    limit: 'drain.blockedLimit',
    steps: ['slot', 'record', 'cordon', 'detach', 'drain'],
    of: 'hold',
  },
  { rule: 'longest way back of a machine', limit: 'reboot.returnLimit', steps: ['reboot', 'proof'], of: 'step' },
  { rule: 'longest settling', limit: 'settle.limit', steps: ['settle'], of: 'step' },
  { rule: 'longest attaching', limit: 'attach.limit', steps: ['attach'], of: 'step' },
]

function timeRule(report: ReportDocument, { rule, limit, steps, of }: TimeRule): readonly StopRule[] {
  const spans = report.nodes.map(({ name, steps: taken }) => {
    const rebootAt = taken.findIndex(({ step }) => step === 'reboot')
    // After its reboot a resumed roll takes the slot again, which is no hold before the reboot.
    const counted = of === 'hold' && rebootAt !== -1 ? taken.slice(0, rebootAt) : taken
    const mine = counted.filter(({ step }) => steps.includes(step))
    const parts = of === 'step' ? [sum(mine, report)] : mine.flatMap(({ holds }) => holds.map((h) => sum([h], report)))
    return { name, ms: Math.max(0, ...parts), begun: mine.length > 0 }
  })
  if (!spans.some(({ begun }) => begun)) return []
  const longest = spans.reduce((worst, span) => (span.ms > worst.ms ? span : worst))
  const limitMs = report.settings?.limitsMs[limit]
  const measured = longest.ms === 0 ? 'none' : `${formatDuration(longest.ms)} (${longest.name})`
  return [
    {
      rule,
      measured,
      limit: limitMs === undefined ? '?' : formatDuration(limitMs),
      state: limitMs === undefined ? 'limit not known' : longest.ms >= limitMs ? 'limit reached' : 'ok',
    },
  ]
}

interface Timed {
  readonly startedAt: string
  readonly endedAt: string | null
}

const sum = (spans: readonly Timed[], { lastAt }: ReportDocument): number =>
  spans.reduce((ms, { startedAt, endedAt }) => ms + Date.parse(endedAt ?? lastAt) - Date.parse(startedAt), 0)
