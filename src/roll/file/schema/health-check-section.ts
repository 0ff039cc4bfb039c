import { z } from 'zod'
import { EXCLUDE_LABEL, REMOVAL_TAINTS } from '../../../ground/model/node-reading.ts'
import { present } from '../../../ground/model/present.ts'
import { labelKeyFault, labelValueFault } from '../../../ground/text/label-syntax.ts'
import type { NodeCheck } from '../../../service/model/health-check.ts'
import type { NodeMark } from '../../../service/model/node-mark.ts'
import { balancerWay } from './balancer-way.ts'
import { exactlyOneOf } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { checksOf, checksSection } from './health-endpoint-section.ts'
import { wholeNumberField } from './number-field.ts'
import { nodeUrlField } from './question-fields.ts'
import { fieldMeta, section } from './section.ts'
import { selectorField } from './selector-field.ts'
import { expectBodyField, expectStatusField } from './status-field.ts'
import { switchField } from './switch-field.ts'

/** Marks of the roll itself, and marks by which Kubernetes takes nodes out of use. */
const NOT_TO_SET = /^([a-z0-9.-]+\.)?evenkeel\.dev\/|^node\.kubernetes\.io\/|^node-role\.kubernetes\.io\//

const keyField = (text: { readonly description: string; readonly example: string }) =>
  z
    .string()
    .superRefine((text, context) => {
      const hint =
        text !== EXCLUDE_LABEL && NOT_TO_SET.test(text) ? 'this key has a meaning of its own' : labelKeyFault(text)
      if (hint === undefined) return
      const params = { code: 'config.mark-key', hint }
      context.addIssue({ code: 'custom', message: `"${text.slice(0, 80)}" cannot be the key of a mark`, params })
    })
    .meta(fieldMeta('key', text))

const namesTheNode = (text: string, context: z.core.$RefinementCtx<string>): void => {
  if (/\{(node|address)\}/.test(text)) return
  const params = { code: 'config.placeholder', fix: 'http://{address}:10256/healthz' }
  context.addIssue({ code: 'custom', message: 'the URL does not name the node', params })
}

const check = section(
  {
    url: nodeUrlField({
      description:
        'URL of the health check that the load balancers ask. `{node}` and `{address}` are replaced by the name and the InternalIP of the node. Redirects are not followed.',
      example: 'http://{address}:10256/healthz',
    }).superRefine(namesTheNode),
    expectStatus: expectStatusField.prefault('200-399'),
    expectBody: expectBodyField(
      'Text that the body must contain, if the load balancers look for it.',
      'OK',
    ).exactOptional(),
    insecure: switchField('Do not check the certificate.', false),
    timeout: durationField({
      description: 'An answer that is not complete after this time is no answer.',
      from: '100ms',
      to: '5s',
      example: '1s',
    }).prefault('1s'),
  },
  'How the roll itself calls the health check, from the machine where it runs. Without this section, the roll only waits for a computed time, and the plan warns.',
)

const healthCheckSection = section(
  {
    taint: keyField({
      description: `Key of the taint that the roll sets, with the effect PreferNoSchedule. kube-proxy answers 503 at port 10256 while its node has the taint ${REMOVAL_TAINTS.join(', ')}.`,
      example: REMOVAL_TAINTS[0] ?? '',
    }).exactOptional(),
    label: keyField({
      description: `Key of the label that the roll sets, such as ${EXCLUDE_LABEL}, or one that your ingress goes by.`,
      example: EXCLUDE_LABEL,
    }).exactOptional(),
    annotation: keyField({
      description: 'Key of the annotation that the roll sets, if your ingress goes by it.',
      example: 'example.com/out',
    }).exactOptional(),
    value: z
      .string()
      .superRefine((text, context) => {
        const hint = labelValueFault(text)
        if (hint === undefined) return
        const params = { code: 'config.mark-value', hint }
        context.addIssue({ code: 'custom', message: `"${text.slice(0, 80)}" cannot be the value of a mark`, params })
      })
      .meta(
        fieldMeta('text', {
          description:
            'The value that the roll sets. Any other value is a mark of another program, and the roll never removes it.',
          example: 'evenkeel',
        }),
      )
      .prefault('evenkeel'),
    markDelay: durationField({
      description:
        'How long it may take from the mark until the health check fails. Without `check`, the roll adds this time to each wait.',
      from: '0s',
      to: '1h',
    }).prefault('10s'),
    check: check.exactOptional(),
    checks: checksSection.prefault({}),
    nodes: selectorField({
      description: 'The nodes that the load balancers send to. Without it, they send to all nodes.',
      example: 'ingress=true',
    }).exactOptional(),
    dataPort: wholeNumberField(
      { description: 'Port where the nodes serve the traffic of the load balancers.', example: 443 },
      { from: 1, to: 65_535 },
    ),
  },
  'Load balancers that know a node only by a health check, without agents. The roll sets a mark on the Node that makes the check fail, and waits for the time that the checks take.',
).superRefine(exactlyOneOf(['taint', 'label', 'annotation'], `taint: ${REMOVAL_TAINTS.join()}`), {
  when: () => true,
})

export const healthCheck = balancerWay({
  section: healthCheckSection,
  instead: 'the roll sets a mark on each Node, and queries no balancer',
  viaOf: ({ taint, label, annotation, value, markDelay, check: asked, checks, ...same }) => ({
    kind: 'mark',
    ...same,
    mark: markOf({ taint, label, annotation }, value),
    markDelayMs: markDelay,
    ...present({ check: asked && nodeCheckOf(asked) }),
    checks: checksOf(checks),
  }),
})

function markOf({ taint, label, annotation = '' }: MarkFields, value: string): NodeMark {
  if (taint !== undefined) return { kind: 'taint', key: taint, value }
  return label === undefined ? { kind: 'annotation', key: annotation, value } : { kind: 'label', key: label, value }
}

interface MarkFields {
  readonly taint: string | undefined
  readonly label: string | undefined
  readonly annotation: string | undefined
}

const nodeCheckOf = ({ timeout, ...same }: z.output<typeof check>): NodeCheck => ({ ...same, timeoutMs: timeout })
