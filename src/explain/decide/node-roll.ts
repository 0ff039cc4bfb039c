import { formatDuration } from '../../ground/model/duration.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { isRunName } from '../../ground/model/run-name.ts'
import { evenkeel, kubectl, say } from '../../ground/model/sentence.ts'
import { STEPS } from '../../roll/model/step.ts'
import { INTENT_ANNOTATION, type NodeRecord, RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { parseNodeRecord, parseRebootIntent } from '../../service/model/parse-node-record.ts'
import { asSentence, type ExplainFinding, finding, type Next, nextText } from './finding.ts'
import { slotEvidence } from './node-budget.ts'
import { type NodeInWork, type NodeScene, type RunScene, slotFor } from './node-scene.ts'

/** Whether a process has the run in work: by its slot, and by the journal if that is on this machine. */
type RunLife = 'alive' | 'gone' | 'unknown'

/** The record on the node; `unreadable`: why. */
export function recordOn({ node }: NodeScene): NodeRecord | { readonly unreadable: string } | undefined {
  const text = node.annotations[RECORD_ANNOTATION]
  if (text === undefined) return undefined
  const record = parseNodeRecord(text)
  return record.ok ? record.value : { unreadable: record.why }
}

export function lifeOf(s: NodeScene, run: string): RunLife {
  if (s.run?.run === run) return s.run.running ? 'alive' : 'gone'
  const slot = slotFor(s)
  // A run that puts another run's nodes back has that run's name.
  if (slot !== undefined && isOf(slot, run))
    return slot.left === undefined && slot.doubt === undefined ? 'alive' : 'gone'
  return s.budget === undefined || 'fault' in s.budget ? 'unknown' : 'gone'
}

const isOf = ({ owner }: { readonly owner: string }, run: string): boolean =>
  owner === `run ${run}` || owner.startsWith(`run ${run}+`)

/** What rolls do with the node: by the record on it, and by the journal of a run on this machine. */
export function nodeRoll(s: NodeScene): readonly ExplainFinding[] {
  const record = recordOn(s)
  const ofRun = s.run === undefined ? [] : runFindings(s, s.run)
  if (record === undefined) return ofRun
  if ('unreadable' in record) return [unreadable(s, record.unreadable), ...ofRun]
  const life = lifeOf(s, record.run)
  return [...(s.run?.run === record.run && life === 'alive' ? ofRun : []), recorded(s, record, life)]
}

const base = ({ node }: NodeScene): Pick<ExplainFinding, 'part' | 'subject'> => ({ part: 'roll', subject: node.name })

const unreadable = (s: NodeScene, why: string): ExplainFinding =>
  finding({
    ...base(s),
    is: 'stuck',
    code: 'RecordUnreadable',
    text: `the record on ${s.node.name} cannot be read, so no roll puts it back: ${why}`,
    evidence: [`annotation ${RECORD_ANNOTATION}`, ...slotEvidence(s)],
    next: [
      { note: `put ${s.node.name} back by hand first (docs/put-a-node-back.md)` },
      { command: kubectl`annotate node ${s.node.name} ${RECORD_ANNOTATION}-`, note: 'after that' },
    ],
  })

function recorded(s: NodeScene, { run, reason, at }: NodeRecord, life: RunLife): ExplainFinding {
  const { name } = s.node
  const evidence = [
    `annotation ${RECORD_ANNOTATION}: run ${run}, at ${at}`,
    ...(reason === undefined ? [] : [`the reason of run ${run}: ${reason}`]),
    ...intentTexts(s),
    ...slotEvidence(s),
    s.run?.run === run
      ? `the journal of run ${run} is here, and ${s.run.running ? 'a process holds it' : 'no process holds it'}`
      : `the journal of run ${run} is not on this machine`,
  ]
  if (life === 'gone')
    return finding({
      ...base(s),
      ...{ is: 'stuck', code: 'LeftBehind', evidence, next: waysBack(s, run) },
      text: `run ${run} left ${name} out, and no process of that run is seen`,
    })
  if (life === 'unknown')
    return finding({
      ...base(s),
      ...{ is: 'waits', code: 'RecordOfRun', evidence, next: waysBack(s, run) },
      text: `run ${run} has ${name} out; whether a process of that run lives is not known`,
    })
  return finding({
    ...base(s),
    ...{ is: 'waits', code: 'RecordOfRun', evidence },
    text: `run ${run} has taken ${name} out, and will bring it back`,
    next: s.run?.run === run ? [] : [{ note: say`${evenkeel`roll status ${run}`}, on the machine with its journal` }],
  })
}

function intentTexts({ node }: NodeScene): readonly string[] {
  const text = node.annotations[INTENT_ANNOTATION]
  if (text === undefined) return []
  const intent = parseRebootIntent(text)
  if (!intent.ok) return [`annotation ${INTENT_ANNOTATION} cannot be read: ${intent.why}`]
  const has = node.bootId === intent.value.bootId ? 'it has not rebooted since' : 'it has rebooted since'
  return [`its reboot was announced at ${intent.value.at}; ${has}, by its boot id`]
}

function waysBack(s: NodeScene, run: string): readonly Next[] {
  const { run: here } = s
  if (!isRunName(run)) return []
  const resume = { command: evenkeel`roll resume ${run}`, note: 'goes on with it' }
  if (here?.run === run) return [resume, { command: evenkeel`roll abort ${run}`, note: 'puts it back and ends' }]
  return [
    ...(slotFor(s)?.doubt === undefined
      ? []
      : [{ command: evenkeel`budget --watch 2min`, note: 'whether its process lives: that one renews its slot' }]),
    { ...resume, note: 'on the machine with its journal: goes on with it' },
    { command: evenkeel`roll abort ${run} -f roll.yaml`, note: 'where the journal is lost: puts it back' },
  ]
}

/** Findings from the journal. */
function runFindings(s: NodeScene, run: RunScene): readonly ExplainFinding[] {
  if (run.node === 'notInRun') return []
  if (!run.running) return run.end?.outcome === 'completed' ? [] : [notRunning(s, run)]
  switch (run.node) {
    case 'inWork':
      return run.inWork.filter(({ name }) => name === s.node.name).flatMap((work) => worked(s, run, work))
    case 'waiting':
      return waiting(s, run)
    case 'ended':
      return [
        finding({
          ...{ ...base(s), is: 'fact', code: 'DoneInRun' },
          text: `run ${run.run} is through with it: ${run.state ?? 'it has ended there'}`,
        }),
      ]
  }
}

function notRunning(s: NodeScene, { run, end, node, state }: RunScene): ExplainFinding {
  const { name } = s.node
  const [reason] = end?.reasons ?? []
  const how =
    end === undefined
      ? 'its process is gone'
      : `it ended as ${end.outcome}${reason === undefined ? '' : `: ${reason.text}`}`
  const isNext = node === 'waiting' && end === undefined
  return finding({
    ...base(s),
    is: isNext ? 'stuck' : 'fact',
    code: end === undefined ? 'RunInterrupted' : 'RunEnded',
    text: `run ${run} is not at work: ${how}${node === 'waiting' ? `; it had not begun ${name}` : ''}`,
    evidence: [`the journal of run ${run} is here, and no process holds it`, ...(state === undefined ? [] : [state])],
    next: [{ command: evenkeel`roll resume ${run}`, note: 'goes on with it' }],
  })
}

const stepText = ({ name, step, stepForMs }: NodeInWork): string =>
  step === undefined
    ? `is between two steps of ${name}`
    : `${stepForMs === undefined ? 'is' : 'has been'} in step ${step} (${STEPS.indexOf(step) + 1} of ${STEPS.length}) of ${name}${stepForMs === undefined ? '' : ` for ${formatDuration(stepForMs)}`}`

function worked(s: NodeScene, { run }: RunScene, work: NodeInWork): readonly ExplainFinding[] {
  const at = `run ${run} ${stepText(work)}`
  const inWork = finding({ ...base(s), is: 'waits', code: 'InWork', text: at, evidence: [`the journal of run ${run}`] })
  const held = work.hold?.reasons.map((reason) => heldBy(s, { at, reason, forMs: work.hold?.forMs ?? 0 })) ?? []
  return [...held, inWork]
}

interface Held {
  readonly at: string
  readonly reason: Reason
  readonly forMs: number
}

const heldBy = (s: NodeScene, { at, reason, forMs }: Held): ExplainFinding =>
  finding({
    ...base(s),
    is: reason.never === true ? 'stuck' : 'waits',
    subject: reason.object ?? s.node.name,
    code: reason.code,
    text: asSentence(reason.text),
    evidence: [`${at}, held for ${formatDuration(forMs)}`],
    next: [
      ...(reason.next === undefined ? [] : [nextText(reason.next)]),
      { note: `what ${reason.code} means: docs/troubleshooting.md#${reason.code.toLowerCase()}` },
    ],
  })

/** The run works on one node after the other. */
function waiting(s: NodeScene, { run, inWork, waiting: queue }: RunScene): readonly ExplainFinding[] {
  const { name } = s.node
  const place = queue.indexOf(name) + 1
  const [work] = inWork
  const [reason] = work?.hold?.reasons ?? []
  const behind = work === undefined ? 'the run works on no node now' : `it ${stepText(work)}`
  const held = reason === undefined ? '' : `, and is held: ${asSentence(reason.text)}`
  return [
    finding({
      ...{ ...base(s), is: 'waits', code: 'WaitsInRun' },
      text: `it is ${place} of ${queue.length} nodes that wait in run ${run}; ${behind}${held}`,
      evidence: [`the journal of run ${run}: next is ${queue[0] ?? 'none'}`],
      next:
        work === undefined
          ? []
          : [{ command: evenkeel`explain node ${work.name}`, note: `what ${work.name} waits for` }],
    }),
  ]
}
