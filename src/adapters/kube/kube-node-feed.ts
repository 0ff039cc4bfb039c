import type { NodeFacts } from '../../model/node-facts.ts'
import { WorldError } from '../../model/world-error.ts'
import type { FollowEvent } from '../../ports/cluster.ts'
import type { NodeFeed } from '../../ports/node-feed.ts'
import { type FollowParts, follow } from './follow.ts'
import { parseNodeFacts } from './parse-node-facts.ts'
import { MalformedReply, type Untrusted } from './untrusted.ts'

/** A Node as it was told; without facts where it makes no sense, which is not to say that there is none. */
interface Told {
  readonly name: string
  readonly facts?: NodeFacts
}

/** One watch of one Node object, which takes no right but to list and watch nodes. */
export const kubeNodeFeed = (parts: FollowParts, name: string): NodeFeed => ({
  follow: (sink, signal) => {
    const query = { fieldSelector: `metadata.name=${name}` }
    const kind = { path: '/api/v1/nodes', resource: 'nodes', parse: readNode, query }
    const told = (event: FollowEvent<Told>): void => {
      const ours = eventOf(event, name)
      if (ours !== undefined) sink(ours)
    }
    return follow(parts, { kind, sink: told }, signal)
  },
})

function readNode(object: Untrusted): Told {
  const name = object.at('metadata').at('name').text()
  try {
    return { name, facts: parseNodeFacts(object) }
  } catch (error) {
    if (error instanceof MalformedReply) return { name }
    throw error
  }
}

/** A server that does not know the selector tells of other nodes, too. */
function eventOf(event: FollowEvent<Told>, name: string): FollowEvent<NodeFacts> | undefined {
  switch (event.type) {
    case 'listed': {
      const told = event.objects.find((object) => object.name === name)
      if (told !== undefined && told.facts === undefined) return senseless
      return { type: 'listed', objects: told?.facts === undefined ? [] : [told.facts] }
    }
    case 'applied':
    case 'deleted': {
      if (event.object.name !== name) return undefined
      const { facts } = event.object
      return facts === undefined ? senseless : { type: event.type, object: facts }
    }
    default:
      return event
  }
}

const senseless: FollowEvent<NodeFacts> = {
  type: 'broken',
  error: new WorldError('the API server tells of a Node that makes no sense', { code: 'KUBE_REPLY', retry: 'backoff' }),
  retryInMs: 0,
}
