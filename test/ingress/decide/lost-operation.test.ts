import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressOp } from '../../../src/ingress/decide/op.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW } from '../../support/ingress-world.ts'

const at = (secondsAgo: number) => wallMs(NOW - secondsAgo * 1_000)

interface Lost {
  readonly op?: Partial<IngressOp>
  /** In seconds before now. */
  readonly t3?: number
  readonly since: number
}

const decision = (lost?: Lost): string => {
  const op = lost && anOp({ phase: 'Attaching', ...lost.op }, lost.t3 === undefined ? {} : { t3: lost.t3 })
  const kept = lost === undefined || op === undefined ? {} : { lost: { op, since: at(lost.since) } }
  const slot = { kind: 'ours', index: 0, takenAt: at(60), ...kept } as const
  const n1 = aNodeOf('n1', { slot, deployment: { revision: 'r2' } })
  return short(decideIngress(aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })])))
}

/** The grace of the way back is 10 s. */
const ROWS: readonly (readonly [title: string, lost: Lost | undefined, decision: string])[] = [
  ['no operation was seen', undefined, 'n1 releaseSlot 0'],
  ['it was on its way back for 9 s', { t3: 9, since: 1 }, 'hold n1 AttachGrace'],
  ['it was on its way back for the grace, as where it is over', { t3: 10, since: 0 }, 'n1 releaseSlot 0'],
  ['it still kept the node out', { since: 9 }, 'hold n1 AttachGrace'],
  ['it still kept the node out, a grace ago', { since: 10 }, 'n1 releaseSlot 0'],
  ['its time is ahead', { t3: -300, since: 10 }, 'n1 releaseSlot 0'],
  ['its pods changed in place', { op: { inPlace: true }, since: 1 }, 'n1 releaseSlot 0'],
  ['its pods were the first of the node', { op: { isNew: true }, since: 1 }, 'n1 releaseSlot 0'],
]

for (const [title, lost, wanted] of ROWS)
  test(`a slot whose operation is gone is kept for the grace of the way back: ${title}`, () => {
    assert.equal(decision(lost), wanted)
  })
