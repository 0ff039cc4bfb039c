import type { Node } from '../../../ground/model/node.ts'
import type { ObjectKind } from '../../../ground/model/object-kind.ts'
import type { ObjectRef } from '../../../ground/model/object-ref.ts'
import { evenkeel, kubectl, say } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Cluster } from '../../../ground/ports/cluster.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import { type CheckedGuard, NODE_GUARDS } from '../../decide/guard-kind.ts'

type Reads = Pick<Objects, 'get' | 'list'>

/** Of these names, those that look most like a name that does not exist, the nearest first. */
export type LooksAlike = (written: string, known: readonly string[]) => readonly string[]

/** Rejects with UserError guard.not-found, which names those that look alike, and with WorldError. */
export async function findGuard(
  { objects, looksAlike }: { readonly objects: Reads; readonly looksAlike: LooksAlike },
  { namespace, name }: ObjectRef,
  signal: AbortSignal,
): Promise<CheckedGuard> {
  const found = await objects.get({ kind: NODE_GUARDS, namespace, name }, signal)
  if (found !== undefined) return found
  const others = await namesOf(objects.list({ kind: NODE_GUARDS }, signal))
  const here = others.filter((one) => one.namespace === namespace).map((one) => one.name)
  const elsewhere = others.filter((one) => one.name === name).map((one) => one.namespace)
  throw new UserError(`namespace ${namespace} has no NodeGuard ${name}`, {
    code: 'guard.not-found',
    fix:
      elsewhere.length > 0
        ? `add -n ${elsewhere[0]}, which has one of that name`
        : (alikeText(looksAlike(name, here), (like) => `write nodeguard/${like}`) ??
          say`${evenkeel`guard status --all-namespaces`} lists those that there are; -n names another namespace`),
  })
}

interface NodeReads {
  readonly objects: Pick<Objects, 'list'>
  readonly cluster: Pick<Cluster, 'readNode'>
  readonly looksAlike: LooksAlike
}

/** Rejects with UserError guard.no-such-node, which names the nodes that look alike, and with WorldError. */
export async function findNode(
  { objects, cluster, looksAlike }: NodeReads,
  name: string,
  signal: AbortSignal,
): Promise<Node> {
  const found = await cluster.readNode(name, signal)
  if (found !== undefined) return found
  const known = await namesOf(objects.list({ kind: NODE_NAMES }, signal))
  const alike = looksAlike(
    name,
    known.map((one) => one.name),
  )
  throw new UserError(`there is no Node ${name}`, {
    code: 'guard.no-such-node',
    fix: alikeText(alike, (like) => `write --node ${like}`) ?? say`${kubectl`get nodes`} lists the nodes`,
  })
}

const alikeText = (alike: readonly string[], fix: (name: string) => string): string | undefined =>
  alike.length === 0
    ? undefined
    : `${fix(alike[0] ?? '')}${alike.length > 1 ? `, or ${alike.slice(1).join(', or ')}` : ''}`

const NODE_NAMES: ObjectKind<{ readonly namespace: string; readonly name: string }> = {
  ...{ group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false },
  parse: (object) => ({ namespace: '', name: object.at('metadata').at('name').text() }),
}

/** A hint alone: an account that may not list gets none. */
async function namesOf<T extends ObjectRef>(list: Promise<readonly T[]>): Promise<readonly ObjectRef[]> {
  try {
    return await list
  } catch (error) {
    if (!(error instanceof WorldError)) throw error
    return []
  }
}
