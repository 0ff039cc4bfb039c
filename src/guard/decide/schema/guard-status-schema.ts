import { conditionsSchema } from '../../../ground/model/schema/conditions-schema.ts'
import { flag, integer, list, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'

const count = (description: string): Schema => integer(description, { minimum: 0 })
const time = (description: string): Schema => text(description, { format: 'date-time' })

/** What the controller says; it alone writes it. */
export const guardStatusSchema = (): Schema =>
  object('What the controller sees. It alone writes it.', {
    observedGeneration: {
      description: 'The generation of the spec that this status is about.',
      type: 'integer',
      format: 'int64',
    },
    desiredNodes: count('The number of nodes that should have a guard.'),
    guardedNodes: count('The number of these nodes whose guard is ready.'),
    requestedNodes: count('The number of nodes that are cordoned or being drained, and are not granted yet.'),
    heldNodes: count('The number of these nodes that are held.'),
    grantedNode: text('The node that is granted or being drained. Absent if no node is.', { maxLength: 253 }),
    nodes: list('The nodes that are not Armed, at most 100 of them.', node(), {
      maxItems: 100,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    truncated: flag('True if more nodes than these are not Armed.'),
    released: list(
      'The last grants that passed over a hold, at most 10, the newest first.',
      object(
        'A grant that passed over a hold.',
        {
          node: text('Name of the node.', { maxLength: 253 }),
          by: text('The person who released it, or maxHold.', { maxLength: 253 }),
          why: text('The reason that was given.'),
          at: time('When the node was granted.'),
          passedOver: text('What held the node then.'),
        },
        { required: ['node', 'by', 'at'] },
      ),
      { maxItems: 10 },
    ),
    conditions: conditionsSchema('Ready, Held, Degraded and Conflict, each with the reason for it.'),
  })

const node = (): Schema =>
  object(
    'A node that is not Armed.',
    {
      name: text('Name of the node.', { maxLength: 253 }),
      state: text('Requested, Held, Granted, Draining, Degraded or Conflict.'),
      reason: text('Why, as one word.'),
      message: text('The reason as a sentence.'),
      since: time('When the controller first saw the node in this state.'),
      requestedAt: time('When the controller first saw that the node was cordoned or being drained.'),
      waitedFrom: time('The time that decides its place in the queue.'),
    },
    { required: ['name', 'state'] },
  )
