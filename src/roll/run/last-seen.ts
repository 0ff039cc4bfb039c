import type { Node } from '../../ground/model/node.ts'
import { present } from '../../ground/model/present.ts'
import {
  formatRecord,
  INTENT_ANNOTATION,
  type NodeRecord,
  RECORD_ANNOTATION,
  type RebootIntent,
} from '../../service/model/node-record.ts'
import { type Parsed, parseNodeRecord, parseRebootIntent } from '../../service/model/parse-node-record.ts'
import type { RecordBefore } from './nodes-before.ts'
import { forgetRecord, type RunState } from './run-state.ts'

interface SeenNode {
  /** The Node; if it is absent, as it was last read. */
  readonly node: Node
  readonly absent?: true
  /** The Node does not bear the record of this run any more, and this run did not take it off: the record that it had. */
  readonly lostRecord?: string
  /** What the Node bears in the place of that record: one of another run, or a text that cannot be read. */
  readonly inItsPlace?: Parsed<NodeRecord>
  /** Its reboot was announced, which the Node does not say any more. */
  readonly lostIntent?: RebootIntent
}

/**
 * The node under way, also after its object was deleted or another program took its record off or wrote over it: the record was only on
 * that object, and the machine may register again. What a node was before the run is read from its record alone: without the record, a node that is out
 * would look as if it had been out before.
 */
export class LastSeen {
  readonly #run: Pick<RunState, 'id' | 'recordsBefore'>
  #last: Node | undefined
  /** The uid of the node whose record this process takes off; until a node is begun again. */
  #ending: string | undefined
  /** Its reboot was announced by this run, as the node showed it or as the journal has it. */
  #isAnnounced = false

  constructor(run: Pick<RunState, 'id' | 'recordsBefore'>) {
    this.#run = run
  }

  /** A node that is begun, or found under way. */
  begin(node: Node | undefined): SeenNode | undefined {
    this.#ending = undefined
    this.#isAnnounced = false
    return this.#see(node)
  }

  #see(node: Node | undefined): SeenNode | undefined {
    this.#last = node
    if (node === undefined) return undefined
    const before = this.#run.recordsBefore?.[node.name]
    const record = this.#ownRecord(node)
    if (record === undefined) return before === undefined ? { node } : withoutRecord(node, before)
    // A record that this process has found or written counts until the process removes it.
    forgetRecord(this.#run, node.name)
    const isShown = announces(node, record)
    this.#isAnnounced ||= isShown || before?.isSent === true
    return this.#isAnnounced && !isShown ? { node, ...intentOf(node, record) } : { node }
  }

  again(name: string, now: Node | undefined): SeenNode | undefined {
    const last = this.#last?.name === name ? this.#last : undefined
    if (last === undefined) return this.begin(now)
    if (now === undefined) return absent(last)
    const record = this.#ownRecord(last)
    const isKept = this.#ownRecord(now) !== undefined || now.uid === this.#ending
    if (record === undefined || isKept) return this.#see(now)
    return withoutRecord(now, { record, isSent: this.#isAnnounced || INTENT_ANNOTATION in last.annotations }, last)
  }

  #ownRecord(node: Node): NodeRecord | undefined {
    const record = recordOf(node)
    return record?.run === this.#run.id ? record : undefined
  }

  /** From now on this process takes the record off its node, which has it no more, or still has it where that fails. */
  ends(): void {
    this.#ending = this.#last?.uid
  }
}

/**
 * From the intent on the node is never put back before its proof: without another boot id the reboot may still come, or its command got
 * lost. So it stays announced.
 */
function withoutRecord(node: Node, { record, isSent }: RecordBefore, last = node): SeenNode {
  if (isSent && node.bootId === '') return absent(last)
  const found = node.annotations[RECORD_ANNOTATION]
  const inItsPlace = found === undefined ? undefined : recordFrom(node, found)
  const lost = { node, lostRecord: formatRecord(record), ...present({ inItsPlace }) }
  return !isSent || INTENT_ANNOTATION in node.annotations ? lost : { ...lost, ...intentOf(node, record) }
}

/** Of a node that has the recorded boot id still. */
const intentOf = (node: Node, { bootId, run, at }: NodeRecord): Pick<SeenNode, 'lostIntent'> =>
  node.bootId === bootId ? { lostIntent: { version: 1, bootId, run, at } } : {}

/** The node bears the announcement of the reboot for which it has this record. */
function announces({ annotations }: Node, { run, bootId }: NodeRecord): boolean {
  const text = annotations[INTENT_ANNOTATION]
  const intent = text === undefined ? undefined : parseRebootIntent(text)
  return intent?.ok === true && intent.value.run === run && intent.value.bootId === bootId
}

const absent = (last: Node): SeenNode => ({ node: { ...last, ready: 'Unknown' }, absent: true })

/** The record on a node, of any run; undefined where there is none that can be read. */
export function recordOf(node: Node): NodeRecord | undefined {
  const text = node.annotations[RECORD_ANNOTATION]
  const parsed = text === undefined ? undefined : recordFrom(node, text)
  return parsed?.ok === true ? parsed.value : undefined
}

/** The record in a text that a node has, or had. A Node object never changes, and each pass reads it again. */
export function recordFrom(node: Node, text: string): Parsed<NodeRecord> {
  const known = READ.get(node)
  if (known?.text === text) return known.parsed
  const parsed = parseNodeRecord(text)
  READ.set(node, { text, parsed })
  return parsed
}

const READ = new WeakMap<Node, { readonly text: string; readonly parsed: Parsed<NodeRecord> }>()
