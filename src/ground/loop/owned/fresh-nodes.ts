import type { Node } from '../../model/node.ts'
import { MalformedReply } from '../../model/untrusted.ts'
import { WorldError } from '../../model/world-error.ts'
import type { Cluster } from '../../ports/cluster.ts'
import type { FollowCache } from '../follow-cache.ts'
import { mapAtOnce } from '../map-at-once.ts'

interface FreshParts {
  readonly cluster: Pick<Cluster, 'list' | 'nodeVersions' | 'readNode'>
  /** The Nodes of the watch. */
  readonly cache: Pick<FollowCache<Node>, 'get' | 'versionOf'>
}

const AT_ONCE = 16
/** If more Nodes than this have changed, one list is cheaper. */
const READ_AT_MOST = 200

/**
 * All Nodes as of this call or later, since a watch may be late without a sign of it. A Node is some kB, most of it images, so
 * only the versions are listed: a Node that is cached in that version is as it is. The others are read one by one.
 */
export async function freshNodes({ cluster, cache }: FreshParts, signal: AbortSignal): Promise<readonly Node[]> {
  const versions = await cluster.nodeVersions(signal)
  const found = versions.map(({ name, uid, resourceVersion }) => {
    const known = cache.get(name)
    const isAsKnown = known?.uid === uid && cache.versionOf(known) === resourceVersion
    return { name, known: isAsKnown ? known : undefined }
  })
  const others = found.filter(({ known }) => known === undefined)
  if (others.length > READ_AT_MOST) return cluster.list('nodes', signal)
  const read = new Map<string, Node>()
  await mapAtOnce(others, AT_ONCE, async ({ name }) => {
    const node = await readable(cluster, name, signal)
    if (node !== undefined) read.set(name, node)
  })
  return found.flatMap(({ name, known = read.get(name) }) => known ?? [])
}

/** A Node that makes no sense is left out, as in a list. */
async function readable(cluster: FreshParts['cluster'], name: string, signal: AbortSignal): Promise<Node | undefined> {
  try {
    return await cluster.readNode(name, signal)
  } catch (error) {
    if (error instanceof WorldError && error.cause instanceof MalformedReply) return undefined
    throw error
  }
}
