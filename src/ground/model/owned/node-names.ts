import { hash } from 'node:crypto'

/** RFC 4648 base32, in lower case as names want it. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const HASH_LENGTH = 10

const LABEL_VALUE_MAX = 63
/** A label value that stands for a node and is not its name. */
const HASHED = 'h.'
const HASHED_NAME = new RegExp(`^h\\.[${LETTERS}]{${HASH_LENGTH}}$`)

/** The first 50 bits of SHA-256 in base32. Names in clusters are made with it: it never changes. */
export function shortHash(text: string): string {
  const first = hash('sha256', text, 'buffer').readBigUInt64BE() >> BigInt(64 - 5 * HASH_LENGTH)
  return Array.from({ length: HASH_LENGTH }, (_, i) => letterOf(first, HASH_LENGTH - 1 - i)).join('')
}

const letterOf = (bits: bigint, place: number): string => LETTERS.charAt(Number((bits >> BigInt(5 * place)) & 31n))

/** What is hashed for the same thing anew, after its hash turned out to be that of another: no name of a node has a slash. */
export const salted = (text: string, collisionCount: number): string =>
  collisionCount === 0 ? text : `${text}/${collisionCount}`

/** The name and the selector that belong to one node and to no other. */
export interface NodeIdentity {
  readonly node: string
  /** Of its Deployment and of its PodDisruptionBudget: at most 41 characters, so that the names of pods keep all of it. */
  readonly name: string
  /** Which pods are its pods. The selector of a Deployment is immutable. */
  readonly selector: Readonly<Record<string, string>>
}

/**
 * The name of the node where a label value may be as long. A hash otherwise, and also where the name of a node looks like
 * such a hash.
 */
export const nodeLabel = (node: string, collisionCount = 0): string =>
  node.length > LABEL_VALUE_MAX || HASHED_NAME.test(node) ? `${HASHED}${shortHash(salted(node, collisionCount))}` : node
