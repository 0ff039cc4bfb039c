import { formatDuration } from '../../../ground/model/duration.ts'
import { type Reason, waitOf } from '../../../ground/model/reason.ts'
import { type MonoMs, type WallMs, wallMs } from '../../../ground/model/time.ts'
import { attachBegan } from '../../../service/decide/attach.ts'
import { leadsElsewhere, ledElsewhere } from '../../../service/decide/node-servers.ts'
import { act, done, type Hold, hold, holdWhere } from '../../../service/decide/step-answer.ts'
import type { Verdict } from '../../model/verdict.ts'
import { measuredMs } from '../availability/measured-time.ts'
import { trafficNotMeasured } from '../baseline.ts'
import { countedWindows } from '../counted-windows.ts'
import { baselineGreen, controlHeard, probeMeasures, trafficMeasured } from '../guards.ts'
import { type HookAnswer, hooksAt, undoHooks } from '../hooks/hooks-due.ts'
import { isLeftUndone, lastWork, lastWorkLimit } from '../last-work.ts'
import type { RecordedSnapshot } from '../node-snapshot.ts'
import { serviceOf } from '../service-of.ts'
import { keptOut, type StepRule } from '../step-rule.ts'
import { attachStandsStill } from '../stood-still.ts'
import { blameOf } from '../stop/judged-failures.ts'
import { isStoppedBeside } from '../stop/other-lane.ts'
import { isRebooted, type SubjectSnapshot, subjectOf } from '../subject.ts'

/**
 * Step 11: attached, and no failed request for the soak time. A failure is for the stop rules, which detach the node again. The step
 * ends by removing the record: after that only the slot is left to release. A process that resumes a run counts no failure before
 * its own baseline is green, so until then the soak has not begun. It begins anew where the node did not serve in between, and time
 * that was not measured makes it longer.
 */
export const soak: StepRule = {
  step: 'soak',
  next(s) {
    const { name } = s.current.node
    const back: Reason = { code: 'BackInService', object: name, text: `${name} is back as it was` }
    const watching = soakHold(s)
    if (watching !== undefined || isLeftUndone(s)) return watching ?? done
    return lastHooks(s) ?? leftOut(s) ?? act([{ kind: 'removeRecord', node: name }], back)
  },
  remember: (s, decision) => ({
    ...attachBegan(s.evidence, s),
    ...(s.evidence.awaitsClaims === true ? { awaitsClaims: false } : {}),
    attachedAt: s.evidence.attachedAt ?? s.now,
    attachedAtWall: s.evidence.attachedAtWall ?? s.wall,
    ...attachStandsStill(s, s.evidence),
    ...lastWork(s, decision),
  }),
  limit: (s) => (s.evidence.attachedAt === undefined ? undefined : (notSoaked(s) ?? lastWorkLimit(s))),
}

/** The node serves, but a server that was taken out for it is out at another address: only a person can tell whether it may serve there. */
const leftOut = (s: RecordedSnapshot): Hold | undefined =>
  s.run.verdict === undefined ? holdWhere(ledElsewhere(serviceOf(s)).map(leadsElsewhere)) : undefined

/** What hooks have begun is undone. After a reboot, the hooks at `afterNode` follow. */
export const lastHooks = (s: SubjectSnapshot): HookAnswer | undefined =>
  undoHooks(s) ?? (isRebooted(s) ? hooksAt(s, 'afterNode') : undefined)

/** Why a node or machine that is back is still watched. Undefined: it has soaked, or the roll has stopped. */
export function soakHold(s: SubjectSnapshot): Hold | undefined {
  const unmeasured = trafficMeasured(s)
  if (unmeasured.length > 0) return hold(unmeasured)
  const awaited = controlHeard(s)
  if (awaited.length > 0) return hold(awaited, 100)
  const leftMs = Math.max(soakLeftMs(s), quietMs(s))
  const isWatched = s.run.verdict === undefined || isStoppedBeside(s)
  if (!isWatched || leftMs <= 0 || isUnmeasurable(s)) return undefined
  const silent = probeMeasures(s)
  if (silent.length > 0) return hold(silent)
  const reason: Reason = { code: 'Soaking', text: 'traffic is watched for the soak time' }
  return hold([reason], Math.min(Math.max(leftMs, 100), 1000))
}

/**
 * In service, and traffic was never green since: a soak that cannot begin has failed. One that cannot be measured has not: the node or
 * machine serves on, and the roll goes no further.
 */
export function notSoaked(s: SubjectSnapshot): Verdict | undefined {
  const since = s.evidence.attachedAt ?? s.now
  const limitMs = s.spec.probe?.baselineLimitMs ?? 0
  const red = baselineGreen(s).filter((reason) => waitOf(reason) === 'baseline' && reason !== trafficNotMeasured)
  if (red.length === 0 || s.now - since < limitMs) return unmeasurable(s)
  const { name } = subjectOf(s)
  const text = `${name} is in service again, and traffic was not green within the limit (${formatDuration(limitMs)})`
  return keptOut({ code: 'NotSoaked', object: name, text }, red)
}

function unmeasurable(s: SubjectSnapshot): Verdict | undefined {
  if (s.run.verdict !== undefined || !isUnmeasurable(s)) return undefined
  const silent = probeMeasures(s)
  return { kind: 'held', keepOut: false, reasons: silent.length > 0 ? silent : [trafficNotMeasured] }
}

/** A probe that measures nothing is waited for as long as before a reboot. */
function isUnmeasurable(s: SubjectSnapshot): boolean {
  if (s.probe === undefined) return false
  const since = soakingSince(s)
  const elapsedMs = Math.min(s.now - since.mono, s.wall - since.wall)
  return elapsedMs - measuredMs(s.probe, since.wall) >= s.spec.drain.blockedLimitMs
}

/** The rest of the soak time. With a probe only time counts that was measured. */
function soakLeftMs(s: SubjectSnapshot): number {
  const since = soakingSince(s)
  const leftMs = s.spec.soakMs - (s.now - since.mono)
  return s.probe === undefined ? leftMs : Math.max(leftMs, s.spec.soakMs - measuredMs(s.probe, since.wall))
}

/** From when it served without a break, and failures count. */
function soakingSince({ run, evidence, now, wall }: SubjectSnapshot): { readonly mono: MonoMs; readonly wall: WallMs } {
  const {
    attachedAt = now,
    attachedAtWall = wall,
    unattachedAt = attachedAt,
    unattachedAtWall = attachedAtWall,
  } = evidence
  return { mono: unattachedAt, wall: wallMs(Math.max(unattachedAtWall, run.measuredSince ?? unattachedAtWall)) }
}

/** Failed requests that the roll file allows: the soak time begins anew with each that this node or machine is blamed for. */
function quietMs(s: SubjectSnapshot): number {
  const attachedAt = s.evidence.attachedAtWall
  if (s.spec.stop === undefined || attachedAt === undefined) return 0
  const own = countedWindows(s).filter(
    (window) => window.lastBadAt >= attachedAt && blameOf(s, window)?.node === subjectOf(s).name,
  )
  return Math.max(0, ...own.map(({ lastBadAt }) => s.spec.soakMs - (s.wall - lastBadAt)))
}
