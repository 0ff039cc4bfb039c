import { conditionsSchema } from '../../schema/conditions-schema.ts'
import { flag, integer, list, object, type Schema, text } from '../../schema/open-api.ts'

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
    desiredNodes: count('So many nodes should have a guard.'),
    guardedNodes: count('So many of them have a guard that is ready.'),
    requestedNodes: count('So many nodes are cordoned or being drained, and are not granted.'),
    heldNodes: count('So many of these are held.'),
    grantedNode: text('The node that is granted, or that is being drained. Absent: none is.', { maxLength: 253 }),
    nodes: list('The nodes that are not Armed, at most 100 of them.', node(), {
      maxItems: 100,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    truncated: flag('More nodes than these are not Armed.'),
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
      message: text('The same as a sentence.'),
      since: time('Since when the controller sees it in this state.'),
      requestedAt: time('Since when it is cordoned or being drained, as the controller saw it.'),
      waitedFrom: time('From when its place in the queue counts.'),
    },
    { required: ['name', 'state'] },
  )
