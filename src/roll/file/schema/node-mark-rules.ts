import type { z } from 'zod'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a Node can bear, by the field of `healthCheck` that names its key. */
const KINDS = ['taint', 'label', 'annotation'] as const

/** The value that both ways write where the file has none. */
const USUAL_VALUE = 'evenkeel'

/**
 * A Node bears one value of a key. Of two balancers with other values of one key, each would take the mark of the other for one of another
 * owner, and no node would be put back.
 */
export function oneValuePerMark(value: unknown, context: z.core.$RefinementCtx<unknown>): void {
  if (!Array.isArray(value)) return
  const first = new Map<string, unknown>()
  for (const { mark, written, path } of value.flatMap(marksOf)) {
    const known = first.get(mark)
    first.set(mark, known ?? written)
    if (known === undefined || known === written) continue
    const params = { code: 'config.repeated', hint: `another balancer sets it to "${known}"`, fix: `value: ${known}` }
    const message = `${mark} cannot have two values at once`
    context.addIssue({ code: 'custom', message, path: [...path, 'value'], params })
  }
}

interface WrittenMark {
  /** `label example.com/out`. */
  readonly mark: string
  readonly written: unknown
  readonly path: (string | number)[]
}

function marksOf(balancer: unknown, at: number): readonly WrittenMark[] {
  if (!isRecord(balancer)) return []
  const { healthCheck, annotation } = balancer
  const ofChecks = isRecord(healthCheck)
    ? KINDS.filter((kind) => typeof healthCheck[kind] === 'string').map((kind) => ({
        mark: `${kind} ${healthCheck[kind]}`,
        written: healthCheck.value ?? USUAL_VALUE,
        path: [at, 'healthCheck'],
      }))
    : []
  if (!isRecord(annotation) || typeof annotation.key !== 'string') return ofChecks
  const asked = { mark: `annotation ${annotation.key}`, written: annotation.value ?? USUAL_VALUE }
  return [...ofChecks, { ...asked, path: [at, 'annotation'] }]
}
