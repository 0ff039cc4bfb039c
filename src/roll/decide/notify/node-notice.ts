import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { ObjectNotice } from '../../../ground/model/object-notice.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import type { Step } from '../../model/step.ts'

/** The run whose Events are written on nodes. */
export interface NodeNoticeRun {
  readonly run: string
  /** Why the run was started, in the words of the person who started it. */
  readonly reason?: string
}

/** Steps that take a node out of service or bring it back. The other steps change nothing that a user of the node would see. */
const SHOWN: Partial<Readonly<Record<Step, readonly [code: string, text: string]>>> = {
  cordon: ['EvenKeelCordon', 'cordons the node'],
  detach: ['EvenKeelDetach', 'takes the node out of its load balancers'],
  drain: ['EvenKeelDrain', 'evicts the pods of the node'],
  reboot: ['EvenKeelReboot', 'reboots the machine'],
  uncordon: ['EvenKeelUncordon', 'makes the node schedulable again'],
  attach: ['EvenKeelAttach', 'puts the node back into its load balancers'],
}

const HELD = ['Warning', 'EvenKeelHold'] as const

const ENDED = {
  inService: ['Normal', 'EvenKeelInService'],
  restored: ['Normal', 'EvenKeelRestored'],
  out: ['Warning', 'EvenKeelKeptOut'],
} as const

/** The Event on a node for this event of a roll, if there is one. Pure. */
export function nodeNotice(event: StampedEvent, { run, reason }: NodeNoticeRun): ObjectNotice | undefined {
  switch (event.type) {
    case 'step.started': {
      const [code, text] = SHOWN[event.step] ?? []
      if (code === undefined) return undefined
      const why = reason === undefined ? '' : ` (reason: ${escapeForeign(reason)})`
      return noticeOf(event.node, { type: 'Normal', code, text: `run ${run} ${text}${why}` })
    }
    case 'hold.started':
    case 'hold.changed': {
      const text = `run ${run} waits in step ${event.step}: ${textsOf(event.reasons)}`
      const [type, code] = HELD
      return noticeOf(event.node, { type, code, text })
    }
    case 'node.ended': {
      const { node, state, text } = event.standing
      // The Node is gone, or was not changed.
      if (!(state in ENDED)) return undefined
      const [type, code] = ENDED[state as keyof typeof ENDED]
      return noticeOf(node, { type, code, text: `run ${run}: the node is ${escapeForeign(text)}` })
    }
    default:
      return undefined
  }
}

const textsOf = (reasons: readonly Reason[]): string => reasons.map(({ text }) => escapeForeign(text)).join('; ')

/** A kubelet also writes the name of its Node as the uid, and `kubectl describe node` looks for both. */
const noticeOf = (
  node: string,
  { type, ...reason }: Pick<ObjectNotice, 'type'> & ObjectNotice['reason'],
): ObjectNotice => ({ kind: 'Node', name: node, uid: node, type, reason })
