import { z } from 'zod'
import { balancerWay } from './balancer-way.ts'
import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { onlyPlaceholders } from './placeholders.ts'
import { fieldMeta, section } from './section.ts'

const PLACEHOLDER = /\{(node|address|port)\}/
const NAMES_NODE = /\{(node|address)\}/

const argument = z
  .string()
  .max(4096)
  .regex(/^[^\u0000]*$/, 'text without NUL')
  .meta({ title: 'argument' })

/** A command that does not get the node would move, or show, another one. */
function namesTheNode(words: readonly string[], context: z.core.$RefinementCtx<readonly string[]>): void {
  const [program = '', ...args] = words
  if (program === '' || PLACEHOLDER.test(program)) {
    const params = { code: 'config.placeholder', fix: 'write the program first, then the arguments' }
    context.addIssue({ code: 'custom', message: 'the first argument is not a program', path: [0], params })
  }
  if (args.some((text) => NAMES_NODE.test(text))) return
  const params = {
    code: 'config.placeholder',
    hint: 'no argument has {node} or {address}',
    fix: 'pass "{node}" or "{address}"',
  }
  context.addIssue({ code: 'custom', message: 'the command does not receive the node', params })
}

const commandField = (description: string, example: readonly string[]) =>
  z
    .array(argument)
    .min(1)
    .superRefine(namesTheNode)
    .superRefine(onlyPlaceholders('node', 'address', 'port'))
    .meta(fieldMeta('list', { description, example }))

const commandsSection = section(
  {
    detach: commandField(
      'Command that takes a node out of the balancer, as a list of arguments. It must have the same result if it runs again. Exit code 0: the balancer has accepted the request.',
      ['/usr/local/bin/lb', 'detach', '{node}'],
    ),
    attach: commandField('Command that puts a node back, likewise.', ['/usr/local/bin/lb', 'attach', '{node}']),
    status: commandField(
      'Command that prints the state of a node as one JSON object: `state` is `in`, `leaving`, `out`, `returning`, or `none` if the balancer does not have the node. `sessions` is the number of open sessions; omit it if it is not known. Optional: `total`, the sessions so far, and `node`.',
      ['/usr/local/bin/lb', 'status', '{node}'],
    ),
    cut: commandField(
      'Command that ends the sessions that a node still has after `detach.idleLimit`. Without it, they end with the pods of the node.',
      ['/usr/local/bin/lb', 'cut', '{node}'],
    ).exactOptional(),
    dataPort: wholeNumberField(
      {
        description: 'Port where the nodes serve the traffic of the balancer; `{port}` of the commands.',
        example: 443,
      },
      { from: 1, to: 65_535 },
    ),
    timeout: durationField({
      description: 'How long each command may take. After that it is killed with all processes that it started.',
      from: '100ms',
      to: '10s',
    }).prefault('5s'),
    interval: durationField({
      description:
        'How often the roll runs `status` for each node. For the current node it runs the command as often as the command allows.',
      from: '1s',
      to: '1min',
    }).prefault('5s'),
  },
  'A balancer of any other kind. The roll runs commands on this machine, without a shell. `{node}`, `{address}` and `{port}` are replaced in each argument.',
)

export const commands = balancerWay({
  section: commandsSection,
  instead: 'the commands are run for each node',
  viaOf: ({ timeout, interval, ...same }) => ({ kind: 'commands', ...same, timeoutMs: timeout, intervalMs: interval }),
})
