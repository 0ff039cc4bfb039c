import type { CodeRule } from './code-rules.ts'

interface RuleBeside {
  readonly file: string
  readonly name: string
  /** Occurs exactly once. */
  readonly text: string
  /** What stands there without the rule; the name of a field that the text is short for. */
  readonly away: string
  readonly field?: string
}

/** Rules that no type shows: a question with yes or no, a number, a time. */
export const RULES_BESIDE: readonly RuleBeside[] = [
  {
    file: 'src/roll/decide/drain/ready-pods.ts',
    name: 'isLeaving',
    text: '(answer !== undefined && isAway(answer)) || s.run.leaving?.has(pod.uid) === true',
    away: 'false',
  },
  {
    file: 'src/ground/loop/lease-holder.ts',
    name: 'sentAt',
    text: 'lease: await this.#write(lease, signal), sentAt',
    away: 'this.#parts.clock.monoMs()',
    field: 'sentAt',
  },
  {
    file: 'src/ground/loop/lease-holder.ts',
    name: 'mayActForMs',
    text: 'Math.max(0, (durationMs * 2) / 3 - passedMs)',
    away: 'durationMs',
  },
  {
    file: 'src/service/decide/budget/max-out.ts',
    name: 'maxOut',
    text: 'Math.min(Math.max(1, asked), Math.max(1, fleet - 1))',
    away: 'Number.POSITIVE_INFINITY',
  },
  {
    file: 'src/agent/decide/brake/share-out.ts',
    name: 'max',
    text: 'out.size + (out.has(name) ? 0 : 1) > max',
    away: 'false',
  },
  {
    file: 'src/agent/decide/brake/share-out.ts',
    name: 'tooSoonForMs',
    text: 'published?.grants === undefined ? 0 : Math.max(0, (memory.since ?? now) + returnMs - now)',
    away: '0',
  },
  {
    file: 'src/agent/decide/cordon-state.ts',
    name: 'cordonGraceMs',
    text: 'now - cordonedSince >= spec.cordonGraceMs',
    away: 'true',
  },
  {
    file: 'src/ingress/decide/limits.ts',
    name: 'limitOf',
    text: "Math.max(1, limit.kind === 'count' ? limit.count : Math.floor((nodes * limit.percent) / 100))",
    away: 'Number.POSITIVE_INFINITY',
  },
  {
    file: 'src/service/decide/detach.ts',
    name: 'isConfirmed',
    text: 'seen !== undefined && seen.process === server.instance.reading?.process && !isNotSet(s, server)',
    away: 'true',
  },
  {
    file: 'src/service/decide/detach.ts',
    name: 'idleLimitMs',
    text: 'actuatorOf(s, server).canCut && idleWaitMs(s, server) >= s.limits.idleLimitMs',
    away: 'true',
  },
]

/** Those of a file, where its text has them. */
export const rulesBeside = (file: string, source: string): readonly CodeRule[] =>
  RULES_BESIDE.filter((rule) => rule.file === file).map(({ name, text, away, field }) => {
    const id = `${file.replace(/^src\//, '').replace(/\.ts$/, '')} ${name}`
    const at = source.indexOf(text)
    if (at < 0 || source.includes(text, at + 1)) throw new Error(`${id}: its text does not occur exactly once`)
    const to = at + text.length
    const from = field === undefined ? at : to - field.length
    const before = `${field === undefined ? '' : `${field}: `}ruled(${JSON.stringify(id)}, ${away}, () => (`
    return { id, kind: 'guard', wraps: [{ from, to, before, after: '))' }] }
  })
