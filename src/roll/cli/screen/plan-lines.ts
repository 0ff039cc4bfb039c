import type { Level } from '../../../cli/output-options.ts'
import { formatDuration } from '../../../ground/model/duration.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import { contextText } from '../../../ground/model/run-origin.ts'
import { type Sentence, say } from '../../../ground/model/sentence.ts'
import { cellWidth } from '../../../ground/text/cell-width.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import { type Column, tableLines } from '../../../ground/text/table-lines.ts'
import type { Line } from '../../../ground/text/terminal/style.ts'
import { wrapText, wrapWords } from '../../../ground/text/wrap-words.ts'
import type { PlannedNode, RollPlan } from '../../model/roll-plan.ts'
import { STEPS } from '../../model/step.ts'
import { needLines } from '../../report/view/need-lines.ts'
import { stopsText } from '../../report/view/stop-text.ts'
import { gatheredTexts } from './gathered-texts.ts'
import { type PlanNotes, planNotes } from './plan-notes.ts'
import { windowTexts } from './plan-windows.ts'

interface PlanShow {
  readonly level: Level
  readonly columns: number
  /** The command that starts this very roll; absent where it begins now. */
  readonly command?: string
}

const SHOWN_FIRST = 5
const SHOWN_LAST = 2
const SHOW_ALL_UP_TO = 20
const WIDE_CELLS = 120
/** Longer than any text that a person wrote: a finding is never cut. */
const TEXT_MAX = 100_000

/** The node budget may allow fewer nodes: a finding says so. Machines have a line of their own, unless the plan has no nodes. */
const sizeText = (plan: RollPlan): string =>
  plan.nodes.length === 0 ? `${toRollText(plan)}, 1` : `${countOf(plan.nodes.length, 'node')}, ${atOnceText(plan)}`

function atOnceText({ parallel, findings }: RollPlan): string {
  if (parallel === undefined) return '1'
  const isLess = findings.some(({ code }) => code === 'ParallelAboveBudget')
  return `${isLess ? 'fewer than' : 'up to'} ${parallel}`
}

/** The plan for people: which nodes, in which order, what each has to move, what may hold it, what stops it. */
export function planLines(plan: RollPlan, show: PlanShow): readonly Line[] {
  if (needsNone(plan)) return noneLines(plan, show)
  const notes = planNotes(plan)
  const texts = [
    ...wrapWords(`Plan for ${planned(plan)}: ${sizeText(plan)} at a time. Nothing was changed.`, show.columns),
    ...(plan.reason === undefined ? [] : labelled('Reason', plan.reason, show.columns)),
    ...(plan.nodes.length === 0 ? [] : nodeTable(plan, notes, show)),
    ...capped(notes.texts, show).flatMap((text, index) => noteLines(text, index + 1, show.columns)),
    ...moreLines(notes.texts, show),
    ...(show.level >= 2 ? plan.nodes.flatMap((node) => podLines(node, show.columns)) : []),
    ...hostLines(plan, show.columns),
    ...labelled('Steps', STEPS.join(' '), show.columns),
    ...loadLines(plan, show.columns),
    ...checkLines(plan, show),
    ...timeLines(plan, show.columns),
    ...windowLines(plan, show.columns),
    ...kuredLines(plan, show.columns),
    ...needLines(plan, show),
    ...strangers(plan, show.columns),
    ...lastLines(plan, notes, show),
  ]
  return texts.map((text): Line => [text])
}

/** `prod-eu1 on context admin@eu1 (https://10.0.0.5:6443), as user admin`. */
function planned(plan: RollPlan): string {
  const where = contextText(plan)
  if (where === undefined) return escapeForeign(plan.cluster)
  return escapeForeign(`${plan.cluster} on ${where}${plan.user === undefined ? '' : `, as user ${plan.user}`}`, 2000)
}

/** No chosen node's machine needs a reboot, and no machine of a load balancer does: there is nothing to roll. */
export const needsNone = ({ nodes, hosts = [], skipped }: RollPlan): boolean =>
  nodes.length + hosts.length === 0 && skipped.length > 0

/** `3 nodes and 2 machines`. */
export function toRollText({ nodes, hosts = [] }: RollPlan): string {
  const machines = hosts.length === 0 ? [] : [countOf(hosts.length, 'machine')]
  const none = nodes.length === 0 && machines.length > 0
  return [...(none ? [] : [countOf(nodes.length, 'node')]), ...machines].join(' and ')
}

function noneLines(plan: RollPlan, show: PlanShow): readonly Line[] {
  const errors = planErrors(plan).length
  const text = errors === 0 ? 'Nothing is to be rolled' : `${countOf(errors, 'error')} to repair first`
  const what = plan.hosts === undefined ? 'No node' : 'No node and no load balancer machine'
  const { user, ...place } = plan
  const as = user === undefined ? '' : `, read as user ${escapeForeign(user)}`
  const head = `${what} of ${planned(place)} needs a reboot${as}: ${countText(plan.skipped.length)} to skip.`
  const lines = wrapWords(`${head} ${text}. Nothing was changed.`, show.columns)
  return [...lines, ...needLines(plan, show)].map((line): Line => [line])
}

/** The errors of a plan, each with its fix. */
export const planErrors = (plan: RollPlan): readonly PlanFinding[] =>
  plan.findings.filter(({ severity }) => severity === 'error')

function nodeTable(plan: RollPlan, notes: PlanNotes, { level, columns }: PlanShow): readonly string[] {
  const wide = columns >= WIDE_CELLS
  const titles: readonly Column[] = [
    { title: '#', align: 'right' },
    { title: 'node', align: 'left' },
    { title: 'role', align: 'left' },
    ...(wide
      ? ([
          { title: 'address', align: 'left' },
          { title: 'boot id', align: 'left' },
        ] as const)
      : []),
    { title: 'detach from', align: 'left' },
    { title: 'move', align: 'right' },
    { title: 'stages', align: 'left' },
    { title: 'note', align: 'left' },
  ]
  const stages = Math.max(2, ...plan.nodes.map((node) => node.stages.findLastIndex((count) => count > 0) + 1))
  const rows = plan.nodes.map((node, index) => [
    String(index + 1),
    node.node,
    node.role,
    ...(wide ? [node.address, node.bootId.slice(0, 8)] : []),
    detachText(node.detachFrom),
    countText(node.podsToMove.length),
    Array.from({ length: stages }, (_, stage) => node.stages[stage] ?? 0).join(' + '),
    notes.marks.get(node.node) ?? '',
  ])
  const [head = '', ...lines] = tableLines(titles, rows)
  const hidden = level >= 2 || rows.length <= SHOW_ALL_UP_TO ? [] : hiddenRows(plan, notes)
  if (hidden.length === 0) return [head, ...lines]
  const gone = new Set(hidden)
  const shown = lines.filter((_, index) => !gone.has(index))
  return [head, ...shown.slice(0, -SHOWN_LAST), `      ${hiddenText(plan, hidden)}`, ...shown.slice(-SHOWN_LAST)]
}

/** Rows without details: neither among the first nor the last, and without a note. */
function hiddenRows(plan: RollPlan, notes: PlanNotes): readonly number[] {
  return plan.nodes.flatMap(({ node }, index) => {
    const edge = index < SHOWN_FIRST || index >= plan.nodes.length - SHOWN_LAST
    return edge || notes.marks.has(node) ? [] : [index]
  })
}

function hiddenText(plan: RollPlan, hidden: readonly number[]): string {
  const pods = hidden.map((index) => plan.nodes[index]?.podsToMove.length ?? 0)
  const range = `${countText(Math.min(...pods))} to ${countOf(Math.max(...pods), 'pod')} each`
  return `${countText(hidden.length)} more, ${range}, no note; -v lists them`
}

/** `web/cp-1 on lb-1` and `web/cp-1 on lb-2` come to `web on lb-1, lb-2`. */
function detachText(servers: readonly string[]): string {
  const instances = new Map<string, string[]>()
  for (const server of servers) {
    const [, backend = server, instance] = /^([^/]+)\/.* on (.+)$/.exec(server) ?? []
    instances.set(backend, [...(instances.get(backend) ?? []), ...(instance === undefined ? [] : [instance])])
  }
  const texts = [...instances].map(([backend, names]) =>
    names.length === 0 ? backend : `${backend} on ${names.join(', ')}`,
  )
  return texts.length === 0 ? '-' : texts.join('; ')
}

function noteLines(text: Sentence, number: number, columns: number): readonly string[] {
  const lead = `  [${number}] `
  const lines = wrapText(text, columns - lead.length, TEXT_MAX)
  return lines.map((line, index) => `${index === 0 ? lead : ' '.repeat(lead.length)}${line}`)
}

function labelled(label: string, text: Sentence, columns: number): readonly string[] {
  const lines = wrapText(text, columns - 7, TEXT_MAX)
  return lines.map((line, index) => `${index === 0 ? label.padEnd(7) : ' '.repeat(7)}${line}`)
}

function podLines({ node, podsToMove }: PlannedNode, columns: number): readonly string[] {
  return podsToMove.length === 0 ? [] : labelled('Pods', `${node}: ${podsToMove.join(', ')}`, columns)
}

function hostLines({ hosts = [], hostsFirst }: RollPlan, columns: number): readonly string[] {
  if (hosts.length === 0) return []
  const texts = hosts.map(({ host, pair, addresses }) =>
    addresses.length === 0 ? `${host} of ${pair}` : `${host} of ${pair}, which has ${addresses.join(', ')}`,
  )
  const when = hostsFirst === true ? 'before the nodes' : 'after the nodes'
  return labelled('Hosts', `${when}, one at a time: ${texts.join('; ')}`, columns)
}

function loadLines(plan: RollPlan, columns: number): readonly string[] {
  const targets = plan.load
    .filter(({ control }) => !control)
    .map(({ url, ratePerSecond }) => `${url} ${countText(ratePerSecond)}/s`)
  if (targets.length === 0) {
    return labelled('Load', 'none: nothing measures this roll, and a failed request does not stop it', columns)
  }
  const controls = plan.load.length - targets.length
  const control = controls === 0 ? 'no control target' : countOf(controls, 'control target')
  const shared = controls === 0 ? '' : ' that a control does not excuse'
  const stops = labelled('Stops', stopsText(plan, shared), columns)
  return [...labelled('Load', `${targets.join(', ')}; ${control}`, columns), ...stops]
}

/** With more findings than this, all are in `-o json`; people would not read them. */
const LINES_AT_MOST = 12
const NAMED_MAX = 20

const capped = (texts: readonly Sentence[], { level }: PlanShow): readonly Sentence[] =>
  level >= 2 ? texts : texts.slice(0, LINES_AT_MOST)

function moreLines(texts: readonly Sentence[], show: PlanShow): readonly string[] {
  const left = texts.length - capped(texts, show).length
  return left === 0 ? [] : [`  ${countText(left)} more; -v or -o json lists them`]
}

function checkLines(plan: RollPlan, show: PlanShow): readonly string[] {
  const warnings = plan.findings.filter(({ severity }) => severity === 'warning')
  const texts = gatheredTexts(warnings, show.level >= 2 ? warnings.length : NAMED_MAX)
  const passed = `${countText(plan.checksPassed)} passed`
  if (texts.length === 0) return labelled('Checks', passed, show.columns)
  const counted = `${passed}, ${countOf(warnings.length, 'warning')}:`
  if (texts.length === 1) return labelled('Checks', say`${counted} ${texts[0] ?? ''}`, show.columns)
  return [
    ...labelled('Checks', counted, show.columns),
    ...capped(texts, show).flatMap((text) => labelled('     - ', text, show.columns)),
    ...moreLines(texts, show),
  ]
}

function timeLines({ estimate }: RollPlan, columns: number): readonly string[] {
  if (estimate === undefined) return []
  return labelled('Time', `about ${formatDuration(estimate.ms)}, by estimate: ${estimate.basis}`, columns)
}

function windowLines(plan: RollPlan, columns: number): readonly string[] {
  const [first, ...rest] = windowTexts(plan)
  if (first === undefined) return []
  return [...labelled('Window', first, columns), ...rest.flatMap((text) => labelled('', text, columns))]
}

function kuredLines({ kuredLock }: RollPlan, columns: number): readonly string[] {
  if (kuredLock === undefined) return []
  return labelled('Kured', `the roll takes its lock (DaemonSet ${kuredLock})`, columns)
}

function strangers({ unmatchedServers }: RollPlan, columns: number): readonly string[] {
  if (unmatchedServers.length === 0) return []
  return labelled('Others', `servers that match no node and are not touched: ${unmatchedServers.join(', ')}`, columns)
}

function lastLines(plan: RollPlan, notes: PlanNotes, { command, columns }: PlanShow): readonly string[] {
  const errors = planErrors(plan).length
  const blocks = plan.findings.filter(({ severity }) => severity === 'block').length
  const counts = `${countText(plan.nodes.length + (plan.hosts?.length ?? 0))} to roll, ${countText(plan.skipped.length)} to skip, ${countText(notes.holds)} expected to hold.`
  if (errors > 0) return [`${counts}  ${countOf(errors, 'error')} to repair first.`]
  if (blocks > 0) return [`${counts}  ${countOf(blocks, 'block')} to clear first.`]
  if (command === undefined) return [counts]
  const line = `${counts}  Run it: ${command}`
  return cellWidth(line) <= columns ? [line] : [counts, `Run it: ${command}`]
}
