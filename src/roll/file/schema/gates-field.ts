import { z } from 'zod'
import { COMPARISONS, GATE_MOMENTS } from '../../model/gate-spec.ts'
import { appliesToField } from './applies-to-field.ts'
import { exactlyOneOf, uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { onlyPlaceholders } from './placeholders.ts'
import { argumentsField, nodeUrlField } from './question-fields.ts'
import { headersField } from './secret-fields.ts'
import { fieldMeta, section } from './section.ts'
import { expectBodyField, expectStatusField } from './status-field.ts'
import { nameField, textField } from './text-field.ts'

const httpSection = section(
  {
    url: nodeUrlField({
      description: 'The http or https URL of the GET request. Redirects are not followed.',
      example: 'http://storage.example.com/nodes/{node}/ready',
    }),
    expectStatus: expectStatusField.prefault('200-299'),
    expectBody: expectBodyField('Text that the body must contain.', 'HEALTH_OK').exactOptional(),
    jsonPath: textField({
      title: 'JSON path',
      pattern: /^\$/,
      rule: 'a JSON path, which begins with $',
      maxLength: 256,
      description: 'Where the value is in a JSON body, as RFC 9535 writes it. Needs `equals`.',
      example: '$.status',
    }).exactOptional(),
    equals: z
      .string()
      .max(256)
      .meta(fieldMeta('text', { description: 'The one value that must be at `jsonPath`.', example: 'green' }))
      .exactOptional(),
    headers: headersField('Headers of the request.'),
  },
  'Passes by the answer of a URL. A body of more than 64 KiB is no answer.',
).superRefine(
  (value, context) => {
    if (typeof value !== 'object' || value === null || 'jsonPath' in value === 'equals' in value) return
    const params = { code: 'config.choice', fix: 'write equals beside jsonPath' }
    context.addIssue({ code: 'custom', message: 'jsonPath and equals belong together', params })
  },
  { when: () => true },
)

const expectField = textField({
  title: 'comparison',
  pattern: new RegExp(
    `^(${COMPARISONS.toSorted((one, other) => other.length - one.length).join('|')})\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?$`,
    'i',
  ),
  rule: 'a comparison and a number: < 0.01, >= 3, == 0',
  maxLength: 64,
  description: 'What the one value of the query must be: `<`, `<=`, `>`, `>=`, `==` or `!=` and a number.',
  example: '== 0',
})

const prometheusSection = section(
  {
    url: nodeUrlField({
      description: 'The base URL of Prometheus, or of what speaks its query API, without `/api/v1`.',
      example: 'http://prometheus.example.com:9090',
    }),
    query: z
      .string()
      .min(1)
      .max(8192)
      .superRefine(onlyPlaceholders('node', 'address'))
      .meta(
        fieldMeta('PromQL', {
          description: 'An instant query with exactly one value: a scalar, or a vector of one series.',
          example: 'sum(ceph_health_status) or vector(0)',
        }),
      ),
    expect: expectField,
    headers: headersField('Headers of the request.'),
  },
  'Passes by the value of a query. No series, several series, NaN, a warning or an error is no answer.',
)

const objectSection = section(
  {
    group: textField({
      title: 'name',
      pattern: /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
      rule: 'an API group, in lower case',
      description: 'The API group of the object. Absent: the core group.',
      example: 'ceph.rook.io',
    }).exactOptional(),
    version: textField({
      title: 'name',
      pattern: /^v[0-9][a-z0-9]*$/,
      rule: 'an API version, such as v1',
      maxLength: 63,
      description: 'The API version of the object.',
      example: 'v1',
    }),
    resource: textField({
      title: 'name',
      pattern: /^[a-z][a-z0-9]*$/,
      rule: 'the plural in lower case, as in URLs',
      maxLength: 63,
      description: 'The kind of the object as in URLs: the plural, in lower case.',
      example: 'cephclusters',
    }),
    namespace: textField({
      title: 'name',
      pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      rule: 'lower-case letters, digits and "-"',
      maxLength: 63,
      description: 'The namespace of the object. Absent: it is of the whole cluster.',
      example: 'rook-ceph',
    }).exactOptional(),
    name: textField({
      title: 'name',
      pattern: /^[A-Za-z0-9{]([A-Za-z0-9.:{}_-]*[A-Za-z0-9}])?$/,
      rule: 'the name of an object',
      description: 'The name of the object. `{node}` and `{address}` stand for the node.',
      example: 'rook-ceph',
    }).superRefine(onlyPlaceholders('node', 'address')),
    condition: textField({
      title: 'condition',
      pattern: /^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?(=(True|False|Unknown))?$/,
      rule: 'the type of a condition, and perhaps its status: Ready, Degraded=False',
      maxLength: 316,
      description: 'The condition in its status that must be there, `True` where no status is named.',
      example: 'Ready',
    }).exactOptional(),
    passWhen: textField({
      title: 'CEL',
      pattern: /\S/,
      rule: 'an expression in CEL',
      maxLength: 1024,
      description: 'An expression in CEL that must be true. `object` is the object, `node` the name of the node.',
      example: "object.status.ceph.health == 'HEALTH_OK'",
    }).exactOptional(),
  },
  'Passes by one object of the API. The identity of the roll needs the right to get it.',
).superRefine(exactlyOneOf(['condition', 'passWhen'], 'condition: Ready'), { when: () => true })

const moment = z.enum(GATE_MOMENTS).meta({ title: 'word' })

const gate = section(
  {
    name: nameField({ description: 'Name of the gate, in holds and reports.', example: 'ceph' }),
    before: z
      .union([
        moment.transform((word) => [word]),
        z
          .array(moment)
          .min(1)
          .superRefine(uniqueBy(), { when: () => true }),
      ])
      .meta(
        fieldMeta('word or list', {
          description:
            'What it stands before: `node`, before a node is touched; `reboot`, before the reboot of the drained node is announced; ' +
            '`attach`, before a rebooted node is put back into its balancers. For a machine of `hosts`: before it gives its addresses ' +
            'away, before its reboot is announced, before it takes them back.',
          example: ['node', 'attach'],
        }),
      ),
    appliesTo: appliesToField,
    http: httpSection.exactOptional(),
    command: argumentsField({
      description:
        'Passes by exit code 0 of a command that runs on this machine, as a list of arguments without a shell. It must change nothing.',
      example: ['/usr/local/bin/may-reboot', '{node}'],
    }).exactOptional(),
    prometheus: prometheusSection.exactOptional(),
    object: objectSection.exactOptional(),
    timesInARow: wholeNumberField({ description: 'How often in a row it must pass.' }, { from: 1, to: 100 }).prefault(
      3,
    ),
    interval: durationField({
      description:
        'The time from one answer to the next check. The roll checks a gate that does not pass less and less often, down to once in six intervals.',
      from: '500ms',
      to: '10min',
    }).prefault('5s'),
    timeout: durationField({ description: 'How long one answer may take.', from: '100ms', to: '5min' }).prefault('10s'),
    limit: durationField({
      description:
        'How long it may hold a node or machine. Then the roll ends: before the reboot is announced, the node or machine is restored; one that was rebooted stays out.',
      from: '1s',
      to: '24h',
    }).prefault('10min'),
  },
  'One gate, with exactly one of http, command, prometheus and object. In URLs, arguments, queries and names of objects, `{node}` and `{address}` stand for the name and the address of the node.',
).superRefine(
  exactlyOneOf(['http', 'command', 'prometheus', 'object'], 'command: [/usr/local/bin/may-reboot, "{node}"]'),
  { when: () => true },
)

export const gatesField = z
  .array(gate)
  .min(1)
  .max(32)
  .superRefine(uniqueBy('name'), { when: () => true })
  .meta(
    fieldMeta('list', {
      description:
        'Conditions of your own that must hold, several times in a row, before the roll goes on. A gate that gives no usable answer holds the roll.',
    }),
  )
