import { formatDuration } from '../../../ground/model/duration.ts'
import { waitOf } from '../../../ground/model/reason.ts'
import { attachBegan } from '../../../service/decide/attach.ts'
import { hold } from '../../../service/decide/step-answer.ts'
import { countedWindows } from '../counted-windows.ts'
import { baselineGreen, controlHeard } from '../guards.ts'
import { hooksAt, undoHooks } from '../hooks/hooks-due.ts'
import { hasRebooted, type RecordedSnapshot } from '../node-snapshot.ts'
import { keptOut, type StepRule } from '../step-rule.ts'
import { blameOf } from '../stop/judged-failures.ts'
import { isStoppedBeside } from '../stop/other-lane.ts'

/**
 * Step 11: attached, and no failed request for the soak time (a failure is the stop rule's business and detaches
 * again). Its postcondition takes the record away, after which only the slot is left to release. A process that takes
 * a run up counts no failure before its own baseline is green: until then the soak has not begun.
 */
export const soak: StepRule = {
  step: 'soak',
  next(s) {
    const unmeasured = s.run.verdict === undefined ? baselineGreen(s) : []
    if (unmeasured.length > 0) return hold(unmeasured)
    const awaited = controlHeard(s)
    if (awaited.length > 0) return hold(awaited, 100)
    const leftMs = Math.max(s.spec.soakMs - (s.now - (s.evidence.attachedAt ?? s.now)), unwatchedMs(s), quietMs(s))
    const isWatched = s.run.verdict === undefined || isStoppedBeside(s)
    if (isWatched && (leftMs > 0 || verdictsOwed(s))) {
      return hold(
        [{ code: 'Soaking', text: 'traffic is watched for the soak time' }],
        Math.min(Math.max(leftMs, 100), 1000),
      )
    }
    const hooks = undoHooks(s) ?? (hasRebooted(s) ? hooksAt(s, 'afterNode') : undefined)
    if (hooks !== undefined) return hooks
    return {
      kind: 'act',
      actions: [{ kind: 'removeRecord', node: s.current.node.name }],
      reasons: [
        { code: 'BackInService', object: s.current.node.name, text: `${s.current.node.name} is back as it was` },
      ],
    }
  },
  remember: (s) => ({
    ...attachBegan(s.evidence, s),
    ...(s.evidence.awaitsClaims === true ? { awaitsClaims: false } : {}),
    attachedAt: s.evidence.attachedAt ?? s.now,
    attachedAtWall: s.evidence.attachedAtWall ?? s.wall,
  }),
  /** In service, and traffic is red since before anything could be counted: a soak that cannot begin has failed. */
  limit(s) {
    const since = s.evidence.attachedAt ?? s.now
    const limitMs = s.spec.probe?.baselineLimitMs ?? 0
    const red = baselineGreen(s).filter((reason) => waitOf(reason) === 'baseline')
    if (red.length === 0 || s.now - since < limitMs) return undefined
    const { name } = s.current.node
    const text = `${name} is in service again, and traffic was not green within the limit (${formatDuration(limitMs)})`
    return keptOut({ code: 'NotSoaked', object: name, text }, red)
  },
}

/** What is left of the soak since failures count. */
const unwatchedMs = ({ run, spec, wall }: RecordedSnapshot): number =>
  run.measuredSince === undefined ? 0 : spec.soakMs - (wall - run.measuredSince)

/** Failed requests that the roll file allows: the soak time begins anew with each that this node is blamed for. */
function quietMs(s: RecordedSnapshot): number {
  const attachedAt = s.evidence.attachedAtWall
  if (s.spec.stop === undefined || attachedAt === undefined) return 0
  const own = countedWindows(s).filter(
    (window) => window.lastBadAt >= attachedAt && blameOf(s, window)?.node === s.current.node.name,
  )
  return Math.max(0, ...own.map(({ lastBadAt }) => s.spec.soakMs - (s.wall - lastBadAt)))
}

/** A request of the soak's last moment may take until its time-out to be judged. */
function verdictsOwed(s: RecordedSnapshot): boolean {
  const attachedAt = s.evidence.attachedAtWall
  if (s.probe === undefined || attachedAt === undefined) return false
  const since = Math.max(attachedAt, s.run.measuredSince ?? attachedAt)
  return (s.probe.lastVerdictAt ?? 0) < since + s.spec.soakMs
}
