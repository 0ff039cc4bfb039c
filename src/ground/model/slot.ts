import type { Lease } from './lease.ts'
import { type ObjectRef, refKey } from './object-ref.ts'

/** A slot of the node budget is a Lease; these annotations name its holder. */
const RUN_ANNOTATION = 'evenkeel.dev/run'
export const NODE_ANNOTATION = 'evenkeel.dev/node'

/**
 * Names the machine of a load balancer that the slot is held for, where it is for no Node. An earlier version leaves the annotation when it
 * takes the slot for a node, and then it names another one.
 */
const MACHINE_ANNOTATION = 'evenkeel.dev/machine'

/**
 * The Lease whose renewal keeps a slot alive, as `namespace/name`: a controller has many slots and renews one Lease. Absent:
 * the slot itself is renewed.
 */
export const LIVES_BY_ANNOTATION = 'evenkeel.dev/lives-by'

/** The Lease of a slot. There are as many as nodes may be out at once, from 0 on. */
export const slotRef = (namespace: string, index = 0): ObjectRef => ({ namespace, name: `evenkeel-slot-${index}` })

/** The default namespace of the slots and the budget object. */
export const SLOTS_NAMESPACE = 'evenkeel'

/** How long a slot is watched by default before its holder counts as gone; a Lease may ask for longer. */
export const SLOT_STALE_MS = 120_000

/** No roll file asks for a longer one. */
export const SLOT_LONGEST_MS = 3_600_000

/** A held slot as it was read last. */
export interface SeenSlot {
  readonly index: number
  readonly owner: SlotOwner
  /** No renewal was seen for its duration, by the clock of the process that watched. */
  readonly isStale: boolean
  /** From the Lease that is renewed, empty where that may not be read; by another machine's clock, which proves nothing. */
  readonly renewTime: string
  readonly durationMs: number
  /** The Lease that it lives by does not exist, or has no holder. */
  readonly isUnled?: true
  /** The Lease that it lives by may not be read: whether its holder lives is not known, and it counts as alive. */
  readonly isHidden?: true
  /** The Lease that is renewed in place of the slot. */
  readonly livesBy?: ObjectRef
}

/** The holder of a slot, by its Lease; foreign text, since any program may write a Lease. */
export interface SlotOwner {
  readonly holder: string
  /** The roll that the holder works for, or that restores it; for a foreign holder, the beginning of its text. */
  readonly run: string
  readonly node?: string
  /** `node` is the name of a machine of a load balancer: nothing in the cluster tells whether it is back. */
  readonly isMachine?: true
}

/**
 * Whose slot it is: the text of the holder, and the Lease that keeps it alive. A controller that moved to another namespace leaves slots of
 * the same text, which live by the Lease that it had there.
 */
export const slotIdentity = ({ owner, livesBy }: Pick<SeenSlot, 'owner' | 'livesBy'>): string =>
  livesBy === undefined ? owner.holder : `${refKey(livesBy)} ${owner.holder}`

/** No Node has a longer name. The text of a Lease has no such limit. */
const NAME_LENGTH_MAX = 253

/** One process of one run: a resumed run is another process, so that the two can be distinguished. */
export const slotHolder = (run: string, nonce: string): string => `${run}/${nonce}`

/**
 * A process that puts a node back without the journal of its run cannot know that the run's own process is gone. It uses a name
 * of its own, so that neither takes the slot from the other while that one renews it. No run's name has a plus.
 */
export const restorerOf = (run: string, nonce: string): string => `${run}+${nonce}`

/** The roll that a slot is held for, no matter which process works for it. */
export const runOfOwner = ({ run }: Pick<SlotOwner, 'run'>): string => run.split('+', 1)[0] ?? run

/**
 * Undefined where it has no holder. A text that is too long to be the name of a Node names no node, because its beginning could
 * be the name of another one. The slot still counts.
 */
export function slotOwner(lease: Lease): SlotOwner | undefined {
  if (lease.holder === '') return undefined
  const slash = lease.holder.lastIndexOf('/')
  const node = lease.annotations[NODE_ANNOTATION]
  return {
    holder: lease.holder,
    run: clipped(slash < 0 ? lease.holder : lease.holder.slice(0, slash)),
    ...(node === undefined || node.length > NAME_LENGTH_MAX ? {} : { node }),
    ...(node !== undefined && lease.annotations[MACHINE_ANNOTATION] === node ? { isMachine: true as const } : {}),
  }
}

const clipped = (text: string): string =>
  text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}...` : text

/** What the Lease of a slot says of its holder. */
export const ofTheHolder = ({ run, node, isMachine }: HolderOf): Lease['annotations'] => ({
  [RUN_ANNOTATION]: run,
  ...(node === '' ? {} : { [NODE_ANNOTATION]: node }),
  ...(isMachine === true ? { [MACHINE_ANNOTATION]: node } : {}),
})

interface HolderOf {
  readonly run: string
  /** Empty: the Lease is for no node. */
  readonly node: string
  readonly isMachine?: boolean
}

const OF_THE_HOLDER: readonly string[] = [RUN_ANNOTATION, NODE_ANNOTATION, MACHINE_ANNOTATION, LIVES_BY_ANNOTATION]

/** The annotations that stay on the Lease of a slot when its holder changes. */
export const notOfTheHolder = (annotations: Lease['annotations']): Lease['annotations'] =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !OF_THE_HOLDER.includes(key)))
