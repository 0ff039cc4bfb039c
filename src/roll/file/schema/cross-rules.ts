import type { z } from 'zod'

type Context = z.core.$RefinementCtx<unknown>
type Rule = (value: unknown, context: Context) => void

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// These rules also run where other fields of the same section are wrong (`when: () => true` beside each use), so that all
// findings of a file come at once. Therefore they assume nothing about the value.

/** Exactly one of the fields is written; `example` is what to write where none is. */
export function exactlyOneOf(names: readonly string[], example: string): Rule {
  return (value, context) => {
    if (!isRecord(value)) return
    const written = names.filter((name) => name in value)
    if (written.length === 0) {
      const params = { code: 'config.choice', hint: `one of: ${names.join(', ')}`, fix: example }
      context.addIssue({ code: 'custom', message: `one of ${names.join(', ')} is missing`, params })
    }
    addTooMany(written, context)
  }
}

/** At least one of the fields is written, and is no switch that is off; `example` is what to write where none is. */
export function atLeastOneOf(names: readonly string[], example: string): Rule {
  return (value, context) => {
    if (!isRecord(value) || names.some((name) => name in value && value[name] !== false)) return
    const params = { code: 'config.choice', hint: `one or more of: ${names.join(', ')}`, fix: example }
    context.addIssue({ code: 'custom', message: `one of ${names.join(', ')} is missing`, params })
  }
}

/** At most one of the fields is written. */
export function atMostOneOf(names: readonly string[]): Rule {
  return (value, context) => {
    if (isRecord(value))
      addTooMany(
        names.filter((name) => name in value),
        context,
      )
  }
}

function addTooMany(written: readonly string[], context: Context): void {
  const [first, second] = written
  if (first === undefined || second === undefined) return
  const params = { code: 'config.choice', fix: `keep one of: ${written.join(', ')}`, at: 'key' }
  context.addIssue({
    code: 'custom',
    message: `"${second}" beside "${first}": only one may be written`,
    path: [second],
    params,
  })
}

/** No two items are equal, or have the same name where `field` is given. */
export function uniqueBy(field?: string): Rule {
  return (value, context) => {
    if (!Array.isArray(value)) return
    const named = value.map((item: unknown, index) =>
      field === undefined
        ? { name: item, path: [index] }
        : { name: isRecord(item) ? item[field] : undefined, path: [index, field] },
    )
    addRepeated(named, context, field === undefined ? 'write it once' : undefined)
  }
}

/** Two instances of one balancer at one address are one process, and the other process would go on sending to nodes that are out. */
export const differentAddresses: Rule = (value, context) => {
  if (!Array.isArray(value)) return
  const written = value.flatMap((item: unknown, index) =>
    WAYS_TO_INSTANCE.flatMap((way) => {
      const address = isRecord(item) ? item[way] : undefined
      if (!isRecord(address)) return [{ name: address, path: [index, way] }]
      return [{ name: `${String(address.host)}:${String(address.socket)}`, path: [index, way] }]
    }),
  )
  addRepeated(written, context, 'write the address of the other process')
}

const WAYS_TO_INSTANCE = ['socket', 'tcp', 'ssh'] as const

/** Plans, journals and reports name an instance without its balancer, so the names of instances are unique. */
export const uniqueInstances: Rule = (value, context) => {
  if (!Array.isArray(value)) return
  const named = value.flatMap((balancer: unknown, index) => {
    const instances = isRecord(balancer) ? balancer.instances : undefined
    if (!Array.isArray(instances)) return []
    return instances.map((item: unknown, inner) => ({
      name: isRecord(item) ? item.name : undefined,
      path: [index, 'instances', inner, 'name'],
    }))
  })
  addRepeated(named, context)
}

interface Named {
  readonly name: unknown
  readonly path: (string | number)[]
}

function addRepeated(items: readonly Named[], context: Context, fix = 'give each a different name'): void {
  const seen = new Set<string>()
  for (const { name, path } of items) {
    if (typeof name !== 'string') continue
    if (seen.has(name)) {
      const params = { code: 'config.repeated', fix }
      context.addIssue({ code: 'custom', message: `"${name}" is written twice`, path, params })
    }
    seen.add(name)
  }
}

/** Nodes are chosen in one way: by name, by label or all of them. */
export const oneSelection: Rule = (value, context) => {
  if (!isRecord(value)) return
  const written = ['names', 'selector', 'all'].filter((name) => (name === 'all' ? value.all === true : name in value))
  addTooMany(written, context)
}
