import { z } from 'zod'
import { REQUEST_SCOPES } from '../../model/request-scope.ts'
import { uniqueBy } from './cross-rules.ts'
import { fieldMeta } from './section.ts'

type Context = z.core.$RefinementCtx<unknown>

/** What a gate, a hook or a silence applies to. */
export const appliesToField = z
  .array(z.enum(REQUEST_SCOPES).meta({ title: 'word' }))
  .min(1)
  .superRefine(uniqueBy(), { when: () => true })
  .meta(
    fieldMeta('list', {
      description:
        'What it is for: `nodes` of the cluster, machines of `hosts`, or both. By default nodes alone. For a machine, `{node}` stands for its name, and `{address}` for its `ssh`.',
      example: ['nodes', 'hosts'],
    }),
  )
  .exactOptional()

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A request for machines needs machines in the file. */
export function machinesToApplyTo(spec: unknown, context: Context): void {
  if (!isRecord(spec) || spec.hosts !== undefined) return
  for (const field of ['gates', 'hooks', 'silences']) {
    const requests: readonly unknown[] = Array.isArray(spec[field]) ? spec[field] : []
    requests.forEach((request, index) => {
      const scopes: readonly unknown[] = isRecord(request) && Array.isArray(request.appliesTo) ? request.appliesTo : []
      const at = scopes.indexOf('hosts')
      if (at === -1) return
      const fix = 'describe the machines in "hosts", or remove "hosts" here'
      const params = { code: 'config.choice', hint: 'the file has no machines: spec.hosts is missing', fix }
      context.addIssue({
        code: 'custom',
        message: '"hosts" without machines',
        path: [field, index, 'appliesTo', at],
        params,
      })
    })
  }
}
