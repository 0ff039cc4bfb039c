import { z } from 'zod'
import type { LabelSelector } from '../../../ground/model/label-selector.ts'
import { labelKeyFault, labelValueFault } from '../../../ground/text/label-syntax.ts'
import { parseLabelSelector } from '../../../ground/text/parse-label-selector.ts'
import { type FieldText, fieldMeta } from './section.ts'

const labelPart = (what: string, faultOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const hint = faultOf(text)
    if (hint === undefined) return
    const params = { code: 'config.selector', hint }
    context.addIssue({ code: 'custom', message: `"${text}" is not a ${what}`, params })
  })

const labelKey = labelPart('label key', labelKeyFault)
const labelValue = labelPart('label value', labelValueFault).meta({ title: 'label value' })

const requirement = z
  .strictObject({
    key: labelKey.meta(fieldMeta('label key', { description: 'Label key.', example: 'disk' })),
    operator: z
      .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
      .meta(fieldMeta('word', { description: 'In, NotIn, Exists or DoesNotExist.', example: 'In' })),
    values: z
      .array(labelValue)
      .meta(fieldMeta('list', { description: 'For In and NotIn.', example: ['ssd'] }))
      .prefault([]),
  })
  .superRefine(({ operator, values }, context) => {
    const listed = operator === 'In' || operator === 'NotIn'
    if (listed === values.length > 0) return
    const message = listed ? `${operator} needs values` : `${operator} takes no values`
    context.addIssue({ code: 'custom', message, path: ['values'], params: { code: 'config.selector' } })
  })
  .meta({ title: 'requirement', description: 'All requirements must hold.' })

const selectorText = z
  .string()
  .transform((text, context): LabelSelector => {
    const parsed = parseLabelSelector(text)
    if (parsed.ok) return parsed.selector
    context.addIssue({ code: 'custom', message: parsed.fault, params: { code: 'config.selector' } })
    return z.NEVER
  })
  .meta({ title: 'selector' })

const selectorObject = z
  .strictObject({
    matchLabels: z
      .record(labelKey, labelValue)
      .meta(fieldMeta('labels', { description: 'Every label must have this value.', example: { disk: 'ssd' } }))
      .prefault({}),
    matchExpressions: z
      .array(requirement)
      .meta(fieldMeta('list', { description: 'Requirements, all of which must hold.' }))
      .prefault([]),
  })
  .superRefine((selector, context) => {
    const empty = Object.keys(selector.matchLabels).length === 0 && selector.matchExpressions.length === 0
    if (empty)
      context.addIssue({ code: 'custom', message: 'the selector is empty', params: { code: 'config.selector' } })
  })
  .meta({ title: 'selector' })

/** A label selector, as text (`a=b,c in (d,e)`) or as Kubernetes writes it (matchLabels, matchExpressions). */
export const selectorField = (text: FieldText) =>
  z.union([selectorText, selectorObject]).meta(fieldMeta('selector', { example: 'app=web', ...text }))
