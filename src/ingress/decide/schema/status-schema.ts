import { conditionsSchema } from '../../../ground/model/schema/conditions-schema.ts'
import { type Fields, flag, integer, list, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'

const count = (description: string): Schema => integer(description, { minimum: 0 })
const time = (description: string): Schema => text(description, { format: 'date-time' })

/** What the controller says; it alone writes it. */
export const statusSchema = (): Schema =>
  object('What the controller sees. It alone writes it.', {
    observedGeneration: {
      description: 'The generation of the spec that this status is about.',
      type: 'integer',
      format: 'int64',
    },
    ...counts(),
    currentRevision: text('The last revision that every node had.'),
    updateRevision: text(
      'The revision that nodes should have: the revision of the template, or the one before it if that revision was rejected.',
    ),
    rejectedRevision: text(
      'The revision that an automatic rollback left. It is not rolled out again while the template asks for it.',
    ),
    rejectedAt: time('When that was. The annotation evenkeel.dev/ingress-retry with this time has it tried once more.'),
    rejectionLifted: flag(
      'True if it may be tried again, because the template has changed since then, or because a person asked for it.',
    ),
    rollout: object('The rollout that is under way.', {
      startedAt: time('When it began.'),
      admitted: list(
        'Nodes that are out for it now, or may be, at most 100 of them.',
        text('Name of a node.', { maxLength: 253 }),
        {
          'x-kubernetes-list-type': 'set',
        },
      ),
    }),
    nodes: list('The nodes that are not in service, or for which a write is refused, at most 100 of them.', node(), {
      maxItems: 100,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    truncated: flag('More nodes than these are not in service.'),
    conditions: conditionsSchema('Available, Progressing, Stalled, Degraded and Ready, each with the reason for it.'),
  })

const counts = (): Fields => ({
  desiredNodes: count('The number of nodes that should run pods.'),
  currentNodes: count('The number of nodes that have a Deployment.'),
  readyNodes: count('The number of nodes that are in service with enough ready pods.'),
  updatedNodes: count('The number of nodes that have the revision updateRevision.'),
  unavailableNodes: count('The number of nodes that serve nothing, for any reason.'),
  detachedNodes: count('The number of nodes that are out of their load balancers, or on their way out or back.'),
  stuckNodes: count('The number of nodes that have passed a deadline and wait for a person, a fix or a new revision.'),
})

const node = (): Schema =>
  object(
    'A node that is not in service.',
    {
      name: text('Name of the node.', { maxLength: 253 }),
      state: text('Its state. Example: Detaching.'),
      reason: text('Why it is in this state, as one word.'),
      message: text('The reason as a sentence.'),
      since: time('When the controller first saw the node in this state.'),
    },
    { required: ['name', 'state'] },
  )
