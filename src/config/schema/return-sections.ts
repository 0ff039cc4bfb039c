import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { section } from './section.ts'
import { switchField } from './switch-field.ts'

export const settleSection = section(
  {
    limit: durationField({
      description: 'How long a node may take from uncordon until it is fit for traffic.',
      from: '1s',
      to: '24h',
    }).prefault('10min'),
    timesInARow: wholeNumberField(
      { description: 'How many looks in a row must find everything well.' },
      { from: 1, to: 100 },
    ).prefault(3),
    dataPort: switchField('Ask the port that the balancers send to on the node itself, before it is attached.', true),
  },
  'What must be well before a node is attached: workloads as before, data port, DNS.',
)

export const attachSection = section(
  {
    limit: durationField({
      description: "How long the balancers' own checks may take until the node is up on every instance.",
      from: '1s',
      to: '24h',
    }).prefault('5min'),
  },
  'Putting the node back into its balancers.',
)

export const soakField = durationField({
  description: 'How long a node is watched after it was attached, before the next one is touched.',
  from: '0s',
  to: '24h',
}).prefault('30s')
