import type { Node } from '../../ground/model/node.ts'
import { formatRecord, INTENT_ANNOTATION, type NodeRecord, RECORD_ANNOTATION } from '../../service/model/node-record.ts'
import { type Parsed, parseNodeRecord } from '../../service/model/parse-node-record.ts'
import type { RunState } from './run-state.ts'

interface SeenNode {
  /** The Node; if it is absent, as it was last read. */
  readonly node: Node
  readonly absent?: true
  /** The Node exists again without its annotations: the record that was on the deleted object. */
  readonly lostRecord?: string
}

/**
 * The node under way, also after its object was deleted: the record was only on that object, and the machine may register
 * again.
 */
export class LastSeen {
  readonly #run: string
  /** By node, from the journal: records of Nodes whose reboot an earlier process sent. */
  readonly #before: Map<string, NodeRecord>
  #last: Node | undefined

  constructor({ id, recordsBefore = {} }: Pick<RunState, 'id' | 'recordsBefore'>) {
    this.#run = id
    this.#before = new Map(Object.entries(recordsBefore))
  }

  /** A node that is begun, or found under way. */
  begin(node: Node | undefined): SeenNode | undefined {
    this.#last = node
    if (node === undefined) return undefined
    const lostRecord = this.#lostBefore(node)
    return lostRecord === undefined ? { node } : { node, lostRecord }
  }

  /** An earlier process rebooted it, and its object is another one since: it is not begun again. */
  #lostBefore(node: Node): string | undefined {
    // A record that this process has found or written counts until the process removes it.
    if (RECORD_ANNOTATION in node.annotations) this.#before.delete(node.name)
    const before = this.#before.get(node.name)
    const isRebooted = before !== undefined && node.bootId !== '' && node.bootId !== before.bootId
    return isRebooted ? formatRecord(before) : undefined
  }

  again(name: string, now: Node | undefined): SeenNode | undefined {
    const last = this.#last?.name === name ? this.#last : undefined
    if (last === undefined) return this.begin(now)
    if (now === undefined) return absent(last)
    const record = recordOf(last)
    const isAnother = now.uid !== last.uid && record?.run === this.#run && !(RECORD_ANNOTATION in now.annotations)
    if (!isAnother) return this.begin(now)
    // From the intent on the node is never put back before its proof: without another boot id the reboot may still come.
    if (INTENT_ANNOTATION in last.annotations && (now.bootId === '' || now.bootId === record.bootId))
      return absent(last)
    return { node: now, lostRecord: last.annotations[RECORD_ANNOTATION] ?? '' }
  }
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
