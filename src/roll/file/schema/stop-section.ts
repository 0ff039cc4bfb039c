import { z } from 'zod'
import { durationField } from './duration-field.ts'
import { wholeNumberField } from './number-field.ts'
import { fieldMeta, section } from './section.ts'
import { nameField } from './text-field.ts'

const MOST = 1_000_000

/** A share of requests, like `0.5%`; 0 to 1 once read. */
const shareField = z
  .union([z.number(), z.string()])
  .transform((text, context): number => {
    const [, digits] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(String(text)) ?? []
    const percent = Number(digits)
    if (percent >= 0.01 && percent <= 99) return percent / 100
    const params = { code: 'config.range', hint: 'a percentage from 0.01% to 99%', fix: '1%' }
    context.addIssue({ code: 'custom', message: `"${text}" is not a share of requests`, params })
    return z.NEVER
  })
  .meta(
    fieldMeta('percentage', {
      description: 'The share of the requests in this time that may be slower. 0.01% to 99%.',
      example: '1%',
    }),
  )

const probeName = nameField({
  description: 'The probe that this rule is for. Absent: each probe that is no control.',
  example: 'shop',
}).exactOptional()

const failedRequests = section(
  {
    inAll: wholeNumberField(
      { description: 'How many requests may fail in the whole roll.', example: 5 },
      { from: 0, to: MOST },
    ),
    perNode: wholeNumberField(
      {
        description: 'How many failed requests one node may be blamed for. Absent: as many as `inAll`.',
        example: 2,
      },
      { from: 0, to: MOST },
    ).exactOptional(),
  },
  'How many failed requests are allowed. Absent: none, but to probes that have an error budget.',
)

const latencyRule = section(
  {
    probe: probeName,
    slowerThan: durationField({
      description: 'A request is slow if it takes longer than this, counted from the time at which it was due.',
      from: '1ms',
      to: '60s',
      example: '500ms',
    }),
    share: shareField,
    over: durationField({
      description: 'The time over which the share is measured, up to now.',
      from: '5s',
      to: '10min',
      wholeSeconds: true,
    }).prefault('30s'),
  },
  'One limit of the latency.',
)

const budgetRule = section(
  {
    probe: probeName,
    downtime: durationField({
      description:
        'How long requests may fail in the whole roll, counted from the last good request before to the first good one after.',
      from: '10ms',
      to: '24h',
      example: '10s',
    }),
  },
  'One error budget.',
)

const listOf = <Item extends z.ZodType>(item: Item, description: string, example: unknown) =>
  z
    .array(item)
    .min(1)
    .meta(fieldMeta('list', { description, example: [example] }))
    .exactOptional()

export const stopSection = section(
  {
    failedRequests: failedRequests.exactOptional(),
    latency: listOf(latencyRule, 'Limits of the latency. Absent: latency stops no roll.', {
      slowerThan: '500ms',
      share: '1%',
      over: '30s',
    }),
    errorBudget: listOf(
      budgetRule,
      'How long a probe may see its target down, in all. Absent: failed requests are counted, not timed.',
      { downtime: '10s' },
    ),
  },
  'What stops the roll. Absent: the first failed request.',
)
