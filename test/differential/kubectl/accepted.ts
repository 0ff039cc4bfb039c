import type { Outcome } from './sides.ts'

/** A difference that is known, with its reason on the page about compatibility. */
interface Accepted {
  readonly line: string
  readonly holds: (kubectl: Outcome, ours: Outcome) => boolean
}

/** Even Keel refuses by these words what kubectl does. */
const refusing =
  (words: RegExp): Accepted['holds'] =>
  (kubectl, ours) =>
    kubectl.error === undefined && ours.error !== undefined && words.test(ours.error)

/** kubectl refuses by these words what Even Keel does without a credential. */
const asNobody =
  (words: RegExp): Accepted['holds'] =>
  (kubectl, { arrival }) =>
    words.test(kubectl.error ?? '') && arrival?.authorization.length === 0 && arrival.certificate === undefined

export const ACCEPTED: readonly Accepted[] = [
  {
    line: 'A user and password in the URL of a server are refused.',
    holds: refusing(/^KUBECONFIG_BROKEN: .* which has a user in its URL: /),
  },
  {
    line: 'Where a user has no credential, kubectl asks for a name and a password at the terminal.',
    holds: asNobody(/^(error: )?EOF$/),
  },
  {
    line: 'A file of blanks with a tab says nothing.',
    holds: ({ error = '' }, ours) =>
      ours.error === undefined && /found character that cannot start any token$/.test(error),
  },
]

export const isAccepted = (kubectl: Outcome, ours: Outcome): boolean =>
  ACCEPTED.some(({ holds }) => holds(kubectl, ours))
