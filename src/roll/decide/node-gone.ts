import type { Reason } from '../../ground/model/reason.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import type { Verdict } from '../model/verdict.ts'
import { hasCurrent, type NodeSnapshot, ownRecord } from './node-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'

export const goneText = (node: string): string => `node ${node} is gone from the cluster`

/** Why the node under way is waited for: it is out, and its object is gone. */
export const nodeGone = (s: NodeSnapshot): Reason => ({
  code: 'NodeGone',
  object: s.current.node.name,
  text: `${goneText(s.current.node.name)}, and it is out; the record on it is gone as well`,
  next: `let ${s.current.node.name} register again; if that happens after this process has ended, resume or abort the run, whose journal has the record (by hand: docs/put-a-node-back.md)`,
})

/** A roll is incomplete if it rolled every node of the order but this one. */
export const leftOut = (node: string): Reason => ({
  code: 'NodeGone',
  object: node,
  text: `${goneText(node)}, so it was left out`,
  next: say`let ${node} register again, or leave it out of "nodes" in the file: ${evenkeel`roll resume -f roll.yaml`}`,
})

/** An earlier process of the run had begun the node. This process has no record of it, and so restores nothing. */
export const mayBeOut = (node: string): Reason => ({
  code: 'NodeGone',
  object: node,
  text: `${goneText(node)}; an earlier process of this run began it, and it may still be out`,
  next: `let ${node} register again, and put back by hand what is still out (docs/put-a-node-back.md)`,
})

/**
 * A node whose object is gone may register again for as long as a reboot may take; after that it stays out. Any other verdict
 * that keeps it out says so as well.
 */
export function goneVerdict(s: RollSnapshot): Verdict | undefined {
  if (!hasCurrent(s) || ownRecord(s) === undefined || s.current.absent !== true) return undefined
  const { goneSince } = s.evidence
  const before = s.run.verdict
  const reasons = before?.reasons ?? []
  if (reasons.some(({ code }) => code === 'NodeGone')) return undefined
  const isOver =
    goneSince !== undefined && s.cluster.staleForMs === 0 && s.now - goneSince >= s.spec.reboot.returnLimitMs
  if (before?.keepOut !== true && !isOver) return undefined
  return { kind: 'stopped', keepOut: true, reasons: [...reasons, nodeGone(s)] }
}
