import { z } from 'zod'
import { oneSelection, uniqueBy } from './cross-rules.ts'
import { section } from './section.ts'
import { selectorField } from './selector-field.ts'
import { switchField } from './switch-field.ts'
import { textField } from './text-field.ts'

const nodeName = textField({
  title: 'node name',
  pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
  rule: 'lower-case letters, digits, "-" and ".", as `kubectl get nodes` prints it',
  description: 'Name of a Node object.',
  example: 'worker-1',
})

export const nodesSection = section(
  {
    names: z
      .array(nodeName)
      .min(1)
      .superRefine(uniqueBy(), { when: () => true })
      .meta({ title: 'list', description: 'Nodes by name, rolled in this order.', examples: [['worker-1']] })
      .exactOptional(),
    selector: selectorField({
      description: 'Nodes by label.',
      example: 'node-role.kubernetes.io/worker',
    }).exactOptional(),
    all: switchField('Every node of the cluster.', false),
    allowUnbalanced: switchField(
      'A node that matches no server of any balancer is an error, because nothing would take it out of traffic. Set this ' +
        'to roll such nodes anyway.',
      false,
    ),
  },
  'Which nodes to roll: one of `names`, `selector` and `all`. Names, `-l` and `--all` on the command line override it.',
)
  .superRefine(oneSelection, { when: () => true })
  .meta({ examples: [{ all: true }] })
