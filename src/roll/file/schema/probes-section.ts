import { z } from 'zod'
import { uniqueBy } from './cross-rules.ts'
import { durationField } from './duration-field.ts'
import { numberField, wholeNumberField } from './number-field.ts'
import { fieldMeta, section } from './section.ts'
import { expectBodyField, expectStatusField } from './status-field.ts'
import { switchField } from './switch-field.ts'
import { nameField, textField } from './text-field.ts'
import { urlField } from './url-field.ts'

const probe = section(
  {
    name: nameField({ description: 'Name of this target in progress and reports.', example: 'shop' }),
    url: urlField,
    rate: numberField(
      { description: 'Requests per second, on a fixed schedule that does not wait for answers.' },
      { from: 0.1, to: 10_000 },
    ).prefault(100),
    keptShare: numberField(
      { description: 'Share of the requests sent over connections that stay open; the others connect anew.' },
      { from: 0, to: 1 },
    ).prefault(0.5),
    kept: wholeNumberField({ description: 'How many connections are kept open.' }, { from: 1, to: 1000 }).prefault(8),
    timeout: durationField({
      description: 'A request without its whole answer after this time has failed.',
      from: '10ms',
      to: '60s',
    }).prefault('2s'),
    expectStatus: expectStatusField.prefault('200-399'),
    expectBody: expectBodyField('Text that the body must contain.', 'welcome').exactOptional(),
    servedByHeader: textField({
      title: 'header name',
      pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
      rule: 'a header name',
      description: 'Response header that says which pod or node answered.',
      example: 'X-Served-By',
    }).prefault('X-Served-By'),
    insecure: switchField('Do not check the certificate of the target.', false),
    control: switchField(
      'A target that is not behind the balancers. If it had no failures in the baseline, it excuses a request that gets no answer while this target gives no answer either.',
      false,
    ),
  },
  'One target that is probed all the time.',
)

export const probesSection = z
  .array(probe)
  .superRefine(uniqueBy('name'), { when: () => true })
  .superRefine(
    (probes, context) => {
      if (!Array.isArray(probes) || probes.length === 0 || probes.some((item) => item?.control !== true)) return
      const params = { code: 'config.choice', fix: 'add a target behind the balancers' }
      context.addIssue({
        code: 'custom',
        message: 'every probe is a control, so nothing would measure the roll',
        params,
      })
    },
    { when: () => true },
  )
  .meta(
    fieldMeta('list', {
      description: 'The requests that prove the roll. A roll without probes needs `--no-probe`.',
      example: [{ name: 'shop', url: 'https://app.example.com/' }],
    }),
  )
  .prefault([])

export const baselineSection = section(
  {
    duration: durationField({
      description: 'How long the probes must run without a failure before the first node is touched.',
      from: '1s',
      to: '1h',
    }).prefault('10s'),
    limit: durationField({
      description: 'How long to wait for that. After this the roll ends with nothing touched.',
      from: '1s',
      to: '1h',
    }).prefault('2min'),
  },
  'The measurement before the first step.',
)
