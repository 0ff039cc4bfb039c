import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { section } from './section.ts'
import { switchField } from './switch-field.ts'

export const settleSection = section(
  {
    limit: durationField({
      description: 'How long a node may take from uncordon until it is ready for traffic.',
      from: '1s',
      to: '24h',
    }).prefault('10min'),
    timesInARow: wholeNumberField(
      { description: 'How many checks in a row must find everything well.' },
      { from: 1, to: 100 },
    ).prefault(3),
    dataPort: switchField(
      'Before the node is attached, connect to the port of the node that the balancers send to.',
      true,
    ),
  },
  'What must work before a node is attached: workloads as before, data port, DNS.',
)

export const attachSection = section(
  {
    limit: durationField({
      description: 'How long the checks of the balancers may take until the node is up on every instance.',
      from: '1s',
      to: '24h',
    }).prefault('5min'),
  },
  'Putting the node back into its balancers.',
)

export const soakField = durationField({
  description: 'How long a node is watched after it was attached, before the next node is touched.',
  from: '0s',
  to: '24h',
}).prefault('30s')
